#include "engine/profiling/model_profile.hpp"

namespace plimsoll::profiling {

Result<LoadTimes> measure_load(const Model& model, const TimingPolicy& policy, const Watch& watch,
                               const Now& now) {
    const double start = now();
    if (auto done = model.load(); !done) return fail(std::move(done.error()));
    const double first = now() - start;
    auto again = time_runs(model.load, policy, watch, now);
    if (!again) return fail(std::move(again.error()));
    return LoadTimes{first, *again};
}

Result<KneeSearch> measure_length(const LengthBucket& length, const BatchLimits& limits,
                                  const TimingPolicy& policy, const Watch& watch, const Now& now) {
    return search_knee(
        [&](std::int64_t batch) -> Result<BatchPoint> {
            const auto timing = time_runs([&] { return length.run(batch); }, policy, watch, now);
            if (!timing) return fail(timing.error());
            return BatchPoint{batch, *timing, length.memory_bytes(batch)};
        },
        limits);
}

}  // namespace plimsoll::profiling
