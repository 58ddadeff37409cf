#include "engine/profiling/timing.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace plimsoll::profiling {

namespace {

constexpr int kEnoughOfSlowRuns = 3;

// `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Timing summarise(std::vector<double> seconds, int warm_up_runs) {
    std::ranges::sort(seconds);
    return {.median = quantile(seconds, 0.5),
            .p95 = quantile(seconds, 0.95),
            .spread = quantile(seconds, 0.75) - quantile(seconds, 0.25),
            .mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) /
                    static_cast<double>(seconds.size()),
            .min = seconds.front(),
            .runs = static_cast<int>(seconds.size()),
            .warm_up_runs = warm_up_runs};
}

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Result<Timing> time_runs(const Run& run, const TimingPolicy& policy, const Watch& watch,
                         const Now& now) {
    const auto once = [&]() -> Result<double> {
        if (watch.stopped()) return fail(Errc::cancelled, "The measurement was stopped.");
        const double start = now();
        TRY_DO(run());
        return now() - start;
    };
    const double start = now();
    int warm_up_runs = 0;
    while ((warm_up_runs < policy.warm_up_runs || now() - start < policy.warm_up_seconds) &&
           now() - start < policy.max_seconds) {
        TRY_DO(once());
        ++warm_up_runs;
    }
    std::vector<double> seconds;
    double spent = 0;
    const auto enough = [&] {
        const int runs = static_cast<int>(seconds.size());
        if (runs >= policy.max_runs) return true;
        if (spent >= policy.max_seconds && runs >= kEnoughOfSlowRuns) return true;
        return runs >= policy.min_runs && spent >= policy.min_seconds;
    };
    while (!enough()) {
        TRY(const auto took, once());
        seconds.push_back(took);
        spent += took;
    }
    return summarise(std::move(seconds), warm_up_runs);
}

}  // namespace plimsoll::profiling
