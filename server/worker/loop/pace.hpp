#pragma once

#include "server/worker/base/batch.hpp"

namespace plimsoll::worker {

struct PaceLimits {
    double seconds = 0.25;  // of device time per claim
    int fewest_tasks = 64;  // before measurements, and for longer tasks
    int most_tasks = 1024;
};

// Limits the tasks per claim by the measured time of recent tasks. Claims are also bounded by
// estimates; this keeps a wrong estimate from leasing a thousand tasks of a second each.
class Pace {
  public:
    explicit Pace(PaceLimits limits) : limits_(limits) {}

    void learn(const Batch& batch);
    int tasks() const;

  private:
    PaceLimits limits_;
    double task_seconds_ = -1;  // negative: unknown
};

}  // namespace plimsoll::worker
