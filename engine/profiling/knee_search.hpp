#pragma once

#include "engine/profiling/batches.hpp"

#include <functional>
#include <vector>

namespace plimsoll::profiling {

struct KneeSearch {
    std::vector<BatchPoint> points;  // measured points, by batch
    Recommendation recommendation;   // of these points
    std::size_t measurements = 0;    // may exceed points: disturbed ones are measured twice
    std::size_t full_sweep = 0;      // measurements of a full sweep
};

using MeasureBatch = std::function<Result<BatchPoint>(std::int64_t batch)>;

// Finds the recommendation that recommend() would derive from a full sweep, with a fraction of its
// measurements. A batch takes roughly a fixed time plus a time per item, so a few distant points
// determine most of the curve; the search then refines around the limit, the best and the knee.
// Fails with the first failed measurement. On a shared device decisive points are measured again
// and the faster time counts. At most a third of a sweep's measurements.
Result<KneeSearch> search_knee(const MeasureBatch& measure, const BatchLimits& limits);

}  // namespace plimsoll::profiling
