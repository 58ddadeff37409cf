#pragma once

#include "server/worker/base/batch.hpp"

#include <map>
#include <string>
#include <vector>

namespace plimsoll::worker {

struct PaceLimits {
    double seconds = 0.25;  // of device time per claim
    int fewest_tasks = 64;  // before measurements, and for longer tasks
    int max_tasks = 1024;
};

// Sizes claims by the measured time of recent tasks. Estimates are for a small processor: on a GPU
// that is fifty times as fast, claims by estimate would end before the next one is answered. The
// number of tasks has a limit of its own, which keeps a wrong estimate from leasing a thousand
// tasks of a second each.
class Pace {
  public:
    explicit Pace(PaceLimits limits) : limits_(limits) {}

    void learn(const Batch& batch);
    int tasks() const;
    // Estimated seconds of work that one claim asks for.
    double work() const;
    // Whether the next claim is made ahead of the end of tasks of this many estimated seconds: not
    // if they will take much longer than a claim, as urgent tasks and other workers wait for them.
    bool claims_ahead_of(double estimated) const;

  private:
    void learn_slowness(const Batch& batch);

    PaceLimits limits_;
    double task_seconds_ = -1;  // negative: unknown
    double slowness_ = 1;       // measured per estimated second
};

// Measured seconds per estimated second of this worker, by kind ("kind:3"). An exponential
// average in which the last batch weighs one half, so that it adapts to other settings and to load
// on the machine within a few batches.
class Slowness {
  public:
    // Learns from completed tasks of these kinds, except merge tasks, whose estimates are for a
    // host.
    void learn(const Batch& batch, const std::vector<std::string>& kinds);
    const std::map<std::string, double>& by_kind() const { return by_kind_; }

  private:
    std::map<std::string, double> by_kind_;
};

}  // namespace plimsoll::worker
