#pragma once

#include "server/worker/base/batch.hpp"

namespace plimsoll::worker {

struct PaceLimits {
    double seconds = 0.25;  // of the device, that a claim should last
    int fewest_tasks = 64;  // before anything is known, and of tasks that take longer
    int most_tasks = 1024;
};

// How many tasks a claim may bring, by how long the last ones took. Estimates bound a claim too;
// this keeps wrong ones from leasing a thousand tasks that take a second each.
class Pace {
  public:
    explicit Pace(PaceLimits limits) : limits_(limits) {}

    void learn(const Batch& batch);
    int tasks() const;

  private:
    PaceLimits limits_;
    double task_seconds_ = -1;  // below zero: nothing is known
};

}  // namespace plimsoll::worker
