#pragma once

#include "engine/profiling/batches.hpp"

#include <functional>
#include <vector>

namespace plimsoll::profiling {

struct KneeSearch {
    std::vector<BatchPoint> points;  // those measured, by batch
    Recommendation recommendation;   // of these points
    std::size_t measurements = 0;    // some points were disturbed and are measured twice
    std::size_t full_sweep = 0;      // how many a sweep would have measured
};

using MeasureBatch = std::function<Result<BatchPoint>(std::int64_t batch)>;

// Finds what recommend() would say of a full sweep with a fraction of its measurements. A batch
// takes about a fixed time and a time for each item, so few points far apart tell the curve nearly;
// the neighbourhoods of the limit, the best and the knee are then looked at more closely. Fails
// with the first measurement that fails. Where others use the device, too, points that decide are
// measured again and the faster time counts. At most a third of a sweep's measurements.
Result<KneeSearch> search_knee(const MeasureBatch& measure, const BatchLimits& limits);

}  // namespace plimsoll::profiling
