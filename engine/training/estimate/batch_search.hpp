#pragma once

#include "engine/training/estimate/estimate.hpp"
#include "engine/training/estimate/reserved_peaks.hpp"

#include <array>
#include <functional>
#include <map>
#include <vector>

namespace plimsoll::training {

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
std::string_view to_string(Fit fit);

struct BatchLimits {
    std::int64_t limit_bytes = 0;  // reserved memory that the safety margin leaves
    std::int64_t max_batch = 0;    // 0: not even one sample fits
    std::int64_t round_batch = 0;  // at most max_batch, a multiple of 8 where that is large
};

// The batches that a search starts with; curves include them.
inline constexpr std::array<std::int64_t, 2> kFirstTried = {16, 64};

struct SearchOptions {
    double safety = 0.85;                 // of the card's total memory, context included
    std::int64_t reserved_elsewhere = 0;  // bytes that other processes hold on the card
    // Measured over modelled reserved memory in real runs of this kind: a factor on every peak.
    double correction = 1;
    std::int64_t highest_batch = 65536;
    EstimateOptions estimate = {};
};

// Reserved memory that the safety margin leaves besides the context. May be negative.
std::int64_t reserve_limit(const GpuProfile& gpu, const SearchOptions& options);

std::int64_t corrected(std::int64_t reserved, const SearchOptions& options);

// Caches the footprint of each batch: many cards need the same batches. A batch's work is known
// once its tape is recorded, its memory only after a replay, which is slower and done on demand.
class FootprintByBatch {
  public:
    // `peaks` outlives this, and may be shared where the options are the same.
    FootprintByBatch(const ModelShape& shape, const TrainingSettings& settings,
                     const TapeDevice& device, const EstimateOptions& options, ReservedPeaks& peaks)
        : shape_(shape), settings_(settings), device_(device), options_(options), peaks_(peaks) {}
    std::int64_t reserved(std::int64_t batch);
    const Work& work(std::int64_t batch);
    // True if its tensors alone exceed `limit`, which saves a replay; false is inconclusive.
    bool surely_exceeds(std::int64_t batch, std::int64_t limit);
    // Adds an estimate's result for its batch.
    void learn(std::int64_t batch, const Estimate& estimate);
    // Of every requested batch.
    const std::map<std::int64_t, Work>& works() const { return works_; }
    const std::map<std::int64_t, std::int64_t>& all_reserved() const { return reserved_; }

  private:
    ModelShape shape_;
    TrainingSettings settings_;
    TapeDevice device_;
    EstimateOptions options_;
    ReservedPeaks& peaks_;
    std::map<std::int64_t, Work> works_;
    std::map<std::int64_t, Tape> tapes_;  // recorded, not replayed yet
    std::map<std::int64_t, std::int64_t> reserved_;
};

// The batches among the kExamined below `largest` that exceed the limit although `largest` does
// not: the memory that PyTorch reserves does not always grow with the batch. In ascending order.
inline constexpr std::int64_t kExamined = 16;
std::vector<std::int64_t> unfitting_below(std::int64_t largest, const BatchLimits& limits,
                                          const SearchOptions& options,
                                          FootprintByBatch& footprints);

// The largest batch whose reserved memory, corrected, stays within the limit: a line through two
// batches predicts it, neighbours confirm it. Errors name the field.
Result<BatchLimits> find_batch(const ModelShape& shape, const TrainingSettings& settings,
                               const GpuProfile& gpu, const SearchOptions& options,
                               FootprintByBatch& footprints);

}  // namespace plimsoll::training
