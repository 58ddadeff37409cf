#include "server/worker/loop/task_spans.hpp"

#include "server/base/tracing.hpp"

#include <algorithm>
#include <string>

namespace plimsoll::worker {
namespace {

// What failed, never the error's text, which may quote the job's.
std::string error_of(const queue::TaskReport& report) {
    if (report.outcome == queue::TaskReport::Outcome::done) return {};
    return std::string(report.cause ? to_string(*report.cause) : "died");
}

void record_task(const Batch& batch, const TaskSlot& slot, const queue::TaskReport& report,
                 const queue::WorkerInfo& worker, Timestamp now) {
    const auto& task = slot.task;
    const auto job = to_public(task.job);
    const auto error = error_of(report);
    // The clocks of the server and of this machine may differ.
    const auto ready = std::min(task.trace.ready, batch.claimed);
    // A merge task and a later attempt became ready at another time.
    if (!task.merge && task.attempt == 1) {
        tracing::record(tracing::below(task.trace.context, ready),
                        {.name = "queue", .at = batch.claimed},
                        {{"plimsoll.job", job}, {"plimsoll.task", std::int64_t{task.seq}}});
    }
    const auto span = tracing::below(task.trace.context, batch.claimed);
    tracing::record(span,
                    {.name = "task", .kind = tracing::Kind::consumer, .at = now, .error = error},
                    {{"plimsoll.job", job},
                     {"plimsoll.task", std::int64_t{task.seq}},
                     {"plimsoll.kind", task.kind},
                     {"plimsoll.attempt", std::int64_t{task.attempt}},
                     {"plimsoll.model", task.model}});
    tracing::record(tracing::below(span.context, slot.began),
                    {.name = "device", .at = slot.ended, .error = error},
                    {{"plimsoll.job", job},
                     {"plimsoll.task", std::int64_t{task.seq}},
                     {"plimsoll.device", worker.device},
                     {"plimsoll.device_class", worker.device_class},
                     {"plimsoll.items", task.items}});
}

}  // namespace

void record_spans(const Batch& batch, const queue::WorkerInfo& worker) {
    if (!tracing::is_on() || batch.lost) return;
    const auto now = SystemClock().now();
    auto report = batch.reports.begin();
    for (const auto& slot : batch.slots) {
        if (report == batch.reports.end()) return;
        if (report->job != slot->task.job || report->seq != slot->task.seq) continue;
        if (slot->task.trace.context) record_task(batch, *slot, *report, worker, now);
        ++report;
    }
}

}  // namespace plimsoll::worker
