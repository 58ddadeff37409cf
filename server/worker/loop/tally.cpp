#include "server/worker/loop/tally.hpp"

namespace plimsoll::worker {

void count_settled(queue::WorkerTelemetry& telemetry, const Batch& batch) {
    if (batch.lost) {
        telemetry.tasks_dropped += static_cast<std::int64_t>(batch.reports.size());
        return;
    }
    for (const auto& report : batch.reports) {
        switch (report.outcome) {
            case queue::TaskReport::Outcome::done:
                ++telemetry.tasks_done;
                break;
            case queue::TaskReport::Outcome::retry:
                ++telemetry.tasks_retried;
                break;
            case queue::TaskReport::Outcome::failed:
                ++telemetry.tasks_failed;
                break;
            case queue::TaskReport::Outcome::died:
                ++telemetry.tasks_died;
                break;
        }
    }
    telemetry.tasks_released +=
        static_cast<std::int64_t>(batch.slots.size() - batch.reports.size());
}

}  // namespace plimsoll::worker
