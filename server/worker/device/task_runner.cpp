#include "server/worker/device/task_runner.hpp"

#include "server/base/log.hpp"
#include "server/queue/retry.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace plimsoll::worker {

namespace {

using queue::TaskReport;

TaskReport begin_report(const queue::ClaimedTask& task) {
    TaskReport report;
    report.job = task.job;
    report.seq = task.seq;
    report.merge = task.merge;
    return report;
}

Result<void> compute(TaskSlot& slot, const jobs::Run& run, const TaskContext& place,
                     TaskReport& report) {
    const auto& task = slot.task;
    if (task.merge) {
        auto merged = run.merge(task.args, task.partials);
        if (!merged) return fail(std::move(merged.error()));
        report.report = std::move(merged->summary);
        report.output.results = std::move(merged->results);
        return {};
    }
    jobs::RunContext context{.device = place.device,
                             .progress = slot.progress,
                             .stop = slot.stop.get_token(),
                             .node = place.node,
                             .capability = place.capability,
                             .ledger = place.ledger,
                             .settings = place.settings};
    Result<std::string> slice;
    if (task.slice.count > 1) slice = jobs::cut_slice(task.input, task.slice);
    if (!slice) return fail(slice.error());
    auto output = run.run(task.args, task.slice.count > 1 ? *slice : task.input, context);
    if (!output) return fail(std::move(output.error()));
    report.output = std::move(*output);
    return {};
}

// The third wall of the program, after a request and before main: whatever a task throws ends here.
Result<void> compute_caught(TaskSlot& slot, const FindRun& find_run, const TaskContext& place,
                            TaskReport& report) {
    const auto& task = slot.task;
    const auto* run = find_run(task.kind, task.kind_version);
    if (run == nullptr) {
        return fail(Errc::unavailable, "This worker does not support the kind " + task.kind +
                                           " in version " + std::to_string(task.kind_version) +
                                           ".");
    }
    try {
        return compute(slot, *run, place, report);
    } catch (const std::bad_alloc&) {
        return fail(Errc::exhausted, "The worker ran out of memory.");
    } catch (const std::exception& e) {
        return fail(Errc::internal, std::string("The task failed unexpectedly: ") + e.what());
    } catch (...) {
        return fail(Errc::internal, "The task failed unexpectedly.");
    }
}

}  // namespace

std::optional<TaskReport> run_task(TaskSlot& slot, const FindRun& find_run,
                                   const TaskContext& place, double chance) {
    const auto& task = slot.task;
    TaskReport report = begin_report(task);
    const auto start = std::chrono::steady_clock::now();
    const auto done = compute_caught(slot, find_run, place, report);
    report.device_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto log_ended = [&](log::Level level, std::string_view message, std::string_view error) {
        log::write(level, message,
                   {{"job", to_public(task.job)},
                    {"task", std::to_string(task.seq)},
                    {"attempt", std::to_string(task.attempt)},
                    {"duration_ms", std::to_string(std::lround(report.device_seconds * 1e3))},
                    {"error", std::string(error)}});
    };
    if (done) {
        log_ended(log::Level::debug, "task done", "");
        return report;
    }
    if (done.error().code == Errc::cancelled && slot.stop.stop_requested()) return std::nullopt;
    const auto pause = queue::pause_before_retry(done.error().code, task.attempt, chance);
    report.outcome = pause ? TaskReport::Outcome::retry : TaskReport::Outcome::failed;
    report.pause = pause.value_or(report.pause);
    report.error = done.error().message;
    report.cause = done.error().code;
    log_ended(log::Level::warn, "task failed", to_string(done.error().code));
    return report;
}

TaskReport report_death(const queue::ClaimedTask& task, std::string error, double device_seconds) {
    TaskReport report = begin_report(task);
    report.outcome = TaskReport::Outcome::died;
    report.error = std::move(error);
    report.device_seconds = device_seconds;
    return report;
}

}  // namespace plimsoll::worker
