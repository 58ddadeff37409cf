#pragma once

#include "server/worker/base/batch.hpp"
#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_thread.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace plimsoll::worker {

// How long a task may run on a device.
struct TimeLimits {
    double times = 10;  // its prediction
    std::chrono::milliseconds least{10'000};
    std::chrono::milliseconds unpredicted{30'000};  // where its kind predicted nothing
    // At least, until this process has finished a task of the kind: programs are built and tuned.
    std::chrono::milliseconds first{600'000};
    std::chrono::milliseconds most{3'600'000};
};

// Tells a task that runs away: one that takes ten times as long as was predicted, by its estimate
// and by what tasks of its kind took in this process. One that shows no life is told by Life,
// sooner or later than this.
class TimeGuard {
  public:
    explicit TimeGuard(TimeLimits limits = {}) : limits_(limits) {}

    // From the tasks of a batch that are done.
    void learn(const Batch& batch);

    std::chrono::milliseconds allowed(const queue::ClaimedTask& task) const;

    // To be told about once a second what runs. Answers, once it has run for longer than it may,
    // why it must not go on: a sentence for people.
    std::optional<std::string> look(const std::optional<RunningTask>& running, TimePoint now);

  private:
    double predicted_seconds(const queue::ClaimedTask& task) const;

    TimeLimits limits_;
    // By kind and version, of those of which a task is done: measured time through estimate.
    std::map<std::string, double> corrections_;
    std::uint64_t seen_ = 0;  // the running task's number
    TimePoint since_{};
};

}  // namespace plimsoll::worker
