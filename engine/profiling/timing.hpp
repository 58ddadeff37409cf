#pragma once

#include "engine/base/result.hpp"
#include "engine/base/watch.hpp"

#include <functional>
#include <vector>

namespace plimsoll::profiling {

// How often something is run before and while it is timed. All times in seconds.
struct TimingPolicy {
    // Not counted: the first runs fill caches and wake processors up.
    int warm_up_runs = 3;
    double warm_up_seconds = 0.02;  // and no less than this
    int least_runs = 7;
    int most_runs = 200;
    double least_seconds = 0.08;  // of timed runs, unless most_runs come first
    double most_seconds = 3;      // from then on three runs are enough
};

// The time of one run. Quantiles lie between the two nearest runs in proportion.
struct Timing {
    double median = 0;
    double p95 = 0;
    double spread = 0;  // between the quartiles
    double mean = 0;
    double least = 0;
    int runs = 0;
    int warm_up_runs = 0;
};

// `seconds` of runs in any order, at least one.
Timing summarise(std::vector<double> seconds, int warm_up_runs);

// Seconds since some moment; tests bring their own.
using Now = std::function<double()>;
double steady_seconds();

using Run = std::function<Result<void>()>;

// Warms up, then times `run` again and again. The first failure of a run ends it; Errc::cancelled
// when `watch` was asked to stop. Shows life at every run.
Result<Timing> time_runs(const Run& run, const TimingPolicy& policy, const Watch& watch,
                         const Now& now = steady_seconds);

}  // namespace plimsoll::profiling
