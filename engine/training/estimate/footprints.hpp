#pragma once

#include "engine/training/estimate/reserved_peaks.hpp"
#include "engine/training/estimate/tape_line.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

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
    std::int64_t most_alive(std::int64_t batch) { return tapes_.at(batch).most_alive(batch); }
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

}  // namespace plimsoll::training
