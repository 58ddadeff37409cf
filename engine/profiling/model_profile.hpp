#pragma once

#include "engine/profiling/knee_search.hpp"

#include <functional>
#include <string>
#include <vector>

namespace plimsoll::profiling {

// Inputs of about one length, in batches of any size.
struct LengthBucket {
    std::string name;        // "short"
    std::int64_t words = 0;  // of an input, about
    std::function<Result<void>(std::int64_t batch)> run;
    std::function<std::uint64_t(std::int64_t batch)> memory_bytes;  // beside the model's own
};

// Whatever takes inputs in batches: what is to be known of it to profile it.
struct Model {
    std::string name;
    std::string type;  // "sentiment"
    Run load;          // makes it ready for the first input, anew each time
    std::vector<LengthBucket> lengths;
};

struct LoadTimes {
    double first_seconds = 0;  // cold, if this process had not loaded the model before
    Timing again;
};
Result<LoadTimes> measure_load(const Model& model, const TimingPolicy& policy, const Watch& watch,
                               const Now& now = steady_seconds);

// Latency and throughput of one length by batch size.
Result<KneeSearch> measure_length(const LengthBucket& length, const BatchLimits& limits,
                                  const TimingPolicy& policy, const Watch& watch,
                                  const Now& now = steady_seconds);

}  // namespace plimsoll::profiling
