#pragma once

#include "server/worker/base/batch.hpp"
#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_thread.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace plimsoll::worker {

// Time limits of a task on a device.
struct TimeLimits {
    double times = 10;  // factor on the prediction
    std::chrono::milliseconds min{10'000};
    std::chrono::milliseconds unpredicted{30'000};  // without a prediction
    // Minimum until this process has finished a task of the kind, because programs are built and
    // tuned first.
    std::chrono::milliseconds first{600'000};
    std::chrono::milliseconds max{3'600'000};
};

// Detects runaway tasks: those that take ten times as long as predicted by the estimate and by
// earlier tasks of the kind in this process. LivenessDetector detects hung tasks independently.
class TimeGuard {
  public:
    explicit TimeGuard(TimeLimits limits = {}) : limits_(limits) {}

    // Learns from the completed tasks of a batch.
    void learn(const Batch& batch);

    std::chrono::milliseconds allowed(const queue::ClaimedTask& task) const;

    std::chrono::milliseconds allowed(const RunningTasks& running) const;

    // Call about once a second with the running tasks. Once they exceed their limit, returns the
    // reason as a sentence.
    std::optional<std::string> check(const std::optional<RunningTasks>& running, TimePoint now);

  private:
    std::chrono::milliseconds limit(const std::string& kind, double estimated) const;
    double predicted_seconds(const std::string& kind, double estimated) const;

    TimeLimits limits_;
    // Measured time over estimate, by kind and version.
    std::map<std::string, double> corrections_;
    std::uint64_t seen_ = 0;  // the number of the running tasks
    TimePoint since_{};
};

}  // namespace plimsoll::worker
