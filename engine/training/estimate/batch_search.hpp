#pragma once

#include "engine/base/words.hpp"
#include "engine/training/estimate/estimate.hpp"
#include "engine/training/estimate/reserved_peaks.hpp"
#include "engine/training/estimate/tape_line.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <map>

namespace plimsoll::training {

// The tapes of one run at every batch, for all cards of one generation: recorded where no
// line through recorded ones gives them.
class RunTapes {
  public:
    // `device`: any card of it.
    RunTapes(const ModelShape& shape, const TrainingSettings& settings, const TapeDevice& device)
        : shape_(shape), settings_(settings), device_(device) {}
    // A line that covers the batch. Valid until the next call.
    const TapeLine& at(std::int64_t batch);

  private:
    using Singles = std::map<std::int64_t, TapeLine>;
    const TapeLine& record(std::int64_t batch);
    const TapeLine* draw_line(Singles::iterator added);

    ModelShape shape_;
    TrainingSettings settings_;
    TapeDevice device_;
    // Kernels change with the number of rows, and so do events: there may be several.
    std::deque<TapeLine> lines_;
    Singles single_;  // on no line
};

// Caches the footprint of each batch on one card: searches ask for the same batches.
class FootprintByBatch {
  public:
    // `tapes` and `peaks` outlive this; peaks may be shared where the options are the same.
    FootprintByBatch(RunTapes& tapes, const TapeDevice& device, const EstimateOptions& options,
                     ReservedPeaks& peaks)
        : tapes_(tapes), device_(device), options_(options), peaks_(peaks) {}
    std::int64_t reserved(std::int64_t batch);
    // Likewise, without noting that this batch was asked for.
    std::int64_t glance(std::int64_t batch);
    const Work& work(std::int64_t batch);
    // The most that its tensors take at once: no more than it reserves, and no less than those of
    // any smaller batch.
    std::int64_t peak_alive(std::int64_t batch) { return tapes_.at(batch).peak_alive(batch); }
    // What they take between two steps.
    std::int64_t standing(std::int64_t batch) { return tapes_.at(batch).standing(batch); }
    // Adds an estimate's result for its batch.
    void learn(std::int64_t batch, const Estimate& estimate);
    // Of every requested batch.
    const std::map<std::int64_t, Work>& works() const { return works_; }
    const std::map<std::int64_t, std::int64_t>& all_reserved() const { return reserved_; }

  private:
    RunTapes& tapes_;
    TapeDevice device_;
    EstimateOptions options_;
    ReservedPeaks& peaks_;
    std::map<std::int64_t, Work> works_;
    std::map<std::int64_t, std::int64_t> reserved_;
};

// The uncertainty of the estimate, as factors on the reserved memory: from comparisons with
// PyTorch's own allocator and dispatcher (tests/unit/engine/training/data), widened where no
// comparison was possible.
struct Band {
    double low = 0.98;
    double high = 1.03;
};
Band band_of(const ModelShape& shape, const TrainingSettings& settings, const GpuProfile& gpu);

// The probability that a run with an estimate of `reserved` bytes needs more than `available`: a
// normal distribution on either side of the estimate, with the band's edges at 5 and 95 %.
double out_of_memory_probability(std::int64_t reserved, std::int64_t available, const Band& band);

enum class Fit { yes, tight, no };  // tight: only below the band's upper edge, or above 95 %
using plimsoll::to_string;
inline constexpr Word<Fit> kFits[] = {{"yes", Fit::yes}, {"tight", Fit::tight}, {"no", Fit::no}};
constexpr std::span<const Word<Fit>> words_of(Fit) { return kFits; }

struct BatchLimits {
    std::int64_t limit_bytes = 0;  // reserved memory that the safety margin leaves
    std::int64_t max_batch = 0;    // 0: not even one sample fits
    std::int64_t round_batch = 0;  // at most max_batch, a multiple of 8 where that is large
};

// The batches whose tapes a search starts with.
inline constexpr std::array<std::int64_t, 2> kFirstTried = {16, 64};

struct SearchOptions {
    double safety = 0.85;  // of the card's total memory, context included
    // Bytes that others hold on the card: other processes, and vLLM in this one.
    std::int64_t reserved_elsewhere = 0;
    // Measured over modelled reserved memory in real runs of this kind: a factor on every peak.
    double correction = 1;
    std::int64_t highest_batch = 65536;
    EstimateOptions estimate = {};
};

// Reserved memory that the safety margin leaves besides the context. May be negative.
std::int64_t reserve_limit(const GpuProfile& gpu, const SearchOptions& options);

std::int64_t corrected(std::int64_t reserved, const SearchOptions& options);

// The largest batch whose reserved memory, corrected, stays within the limit: the next one does
// not. The result does not depend on earlier calls. Errors name the field.
Result<BatchLimits> find_batch(const GpuProfile& gpu, const SearchOptions& options,
                               FootprintByBatch& footprints);

}  // namespace plimsoll::training
