#pragma once

#include "engine/profiling/knee_search.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::profiling {

// Inputs of roughly one length, in batches of any size.
struct LengthBucket {
    std::string name;        // "short"
    std::int64_t words = 0;  // approximate, per input
    // The largest batch that the model computes in one pass; larger ones are split. Known once the
    // model is loaded; null: no limit.
    std::function<std::int64_t()> largest_batch = {};
    std::function<Result<void>(std::int64_t batch)> run;
    std::function<std::uint64_t(std::int64_t batch)> memory_bytes;  // without the model itself
};

// A model to profile: anything that processes inputs in batches.
struct Model {
    std::string name;
    std::string type;  // "sentiment"
    Run load;          // prepares it for the first input; reloads on every call
    std::vector<LengthBucket> lengths;
};

struct LoadTimes {
    double first_seconds = 0;  // cold, if this process had not loaded the model before
    Timing again;
};
Result<LoadTimes> measure_load(const Model& model, const TimingPolicy& policy, const Watch& watch,
                               const Now& now = steady_seconds);

// Latency and throughput of one length by batch size: those in `batches`, in ascending order, or,
// if it is empty, those that find the knee, up to the largest batch of one pass.
Result<KneeSearch> measure_length(const LengthBucket& length, std::span<const std::int64_t> batches,
                                  const BatchLimits& limits, const TimingPolicy& policy,
                                  const Watch& watch, const Now& now = steady_seconds);

}  // namespace plimsoll::profiling
