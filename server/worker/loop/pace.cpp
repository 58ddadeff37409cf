#include "server/worker/loop/pace.hpp"

#include <algorithm>

namespace plimsoll::worker {

void Pace::learn(const Batch& batch) {
    if (batch.reports.empty()) return;
    double seconds = 0;
    for (const auto& report : batch.reports) seconds += report.device_seconds;
    const double mean = seconds / static_cast<double>(batch.reports.size());
    // Slower tasks count fully, faster ones by half: claiming too few tasks costs little.
    task_seconds_ = std::max(mean, task_seconds_ < 0 ? mean : (task_seconds_ + mean) / 2);
}

int Pace::tasks() const {
    if (task_seconds_ < 0) return limits_.fewest_tasks;
    const double fitting = limits_.seconds / std::max(task_seconds_, 1e-9);
    return static_cast<int>(std::clamp(fitting, static_cast<double>(limits_.fewest_tasks),
                                       static_cast<double>(limits_.most_tasks)));
}

}  // namespace plimsoll::worker
