#pragma once

#include "engine/base/result.hpp"
#include "engine/base/watch.hpp"

#include <functional>
#include <vector>

namespace plimsoll::profiling {

// Limits on warm-up and timed runs. Times in seconds.
struct TimingPolicy {
    // Not counted: the first runs fill caches and wake processors up.
    int warm_up_runs = 3;
    double warm_up_seconds = 0.02;  // at least this long
    int min_runs = 7;
    int max_runs = 200;
    double min_seconds = 0.08;  // of timed runs, unless max_runs is reached first
    double max_seconds = 3;     // after this, three runs are enough
};

// The time of one run. Quantiles interpolate linearly between the two nearest runs.
struct Timing {
    double median = 0;
    double p95 = 0;
    double spread = 0;  // interquartile range
    double mean = 0;
    double min = 0;
    int runs = 0;
    int warm_up_runs = 0;
};

// `seconds` of runs in any order, at least one.
Timing summarise(std::vector<double> seconds, int warm_up_runs);

// A monotonic clock in seconds; tests inject their own.
using Now = std::function<double()>;
double steady_seconds();

using Run = std::function<Result<void>()>;

// Warms up, then times `run` repeatedly. Stops at the first failed run; Errc::cancelled when
// `watch` requests a stop. Shows progress at every run.
Result<Timing> time_runs(const Run& run, const TimingPolicy& policy, const Watch& watch,
                         const Now& now = steady_seconds);

}  // namespace plimsoll::profiling
