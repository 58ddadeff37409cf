#include "engine/profiling/model_profile.hpp"

#include <algorithm>

namespace plimsoll::profiling {

Result<LoadTimes> measure_load(const Model& model, const TimingPolicy& policy, const Watch& watch,
                               const Now& now) {
    const double start = now();
    TRY_DO(model.load());
    const double first = now() - start;
    TRY(auto again, time_runs(model.load, policy, watch, now));
    return LoadTimes{first, again};
}

Result<KneeSearch> measure_length(const LengthBucket& length, std::span<const std::int64_t> batches,
                                  const BatchLimits& limits, const TimingPolicy& policy,
                                  const Watch& watch, const Now& now) {
    const auto measure = [&](std::int64_t batch) -> Result<BatchPoint> {
        const auto timing = time_runs([&] { return length.run(batch); }, policy, watch, now);
        if (!timing) return fail(timing.error());
        return BatchPoint{batch, *timing, length.memory_bytes(batch)};
    };
    if (batches.empty()) {
        auto within = limits;
        if (length.largest_batch)
            within.largest_batch = std::min(within.largest_batch, length.largest_batch());
        return search_knee(measure, within);
    }
    KneeSearch found;
    for (const auto batch : batches) {
        TRY(auto point, measure(batch));
        found.points.push_back(point);
    }
    found.recommendation = recommend(found.points, limits);
    found.measurements = found.full_sweep = found.points.size();
    return found;
}

}  // namespace plimsoll::profiling
