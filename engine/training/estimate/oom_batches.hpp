#pragma once

#include "engine/training/estimate/batch_search.hpp"

#include <cstdint>
#include <vector>

namespace plimsoll::training {

// What PyTorch reserves does not always grow with the batch: a smaller one than the largest may not
// fit.
struct OomBatches {
    std::vector<std::int64_t> batches;  // in ascending order
    // Every batch from here to the largest was replayed.
    std::int64_t replayed_from = 1;
};

// Of all batches below `largest`, which fits.
//
// Reserved memory is what the tensors take and what is lost between them. The former grows with the
// batch, and how much is lost is known from replays: of kSpread batches from the smallest to the
// largest, and of the kNear just below the largest. Batches are replayed downwards until they fit
// even if kMoreLost times the worst share that was lost in them, or in smaller ones down to half
// of them, were lost again. No theorem says that this is enough: tests compare with all
// batches.
inline constexpr std::int64_t kSpread = 16;
inline constexpr std::int64_t kNear = 16;
inline constexpr double kMoreLost = 1.5;
inline constexpr double kMinLost = 0.005;
// Up to this many batches, all are replayed.
inline constexpr std::int64_t kAll = 64;

// With a limit, only that many batches just below the largest are replayed. 0: none.
OomBatches oom_batches_below(std::int64_t largest, const BatchLimits& limits,
                             const SearchOptions& options, FootprintByBatch& footprints,
                             std::int64_t max_replays = 0);

}  // namespace plimsoll::training
