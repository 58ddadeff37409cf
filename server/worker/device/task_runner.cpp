#include "server/worker/device/task_runner.hpp"

#include "server/base/log.hpp"
#include "server/queue/retry.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <new>
#include <numeric>
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

jobs::RunContext context_of(TaskSlot& slot, const TaskContext& place) {
    return {.device = place.device,
            .progress = slot.progress,
            .stop = slot.stop.get_token(),
            .node = place.node,
            .capability = place.capability,
            .ledger = place.ledger,
            .settings = place.settings,
            .log = &slot.log};
}

// Replaces the partial aggregate of a job's only task by the report.
Result<void> complete_whole(const queue::ClaimedTask& task, const jobs::Run& run,
                            const std::any& args, TaskReport& report) {
    if (task.whole != 1) return {};
    TRY(auto merged, run.merge(args, {&report.output.partial, 1}));
    report.output.partial = std::move(merged.summary);
    if (!merged.results.empty()) report.output.results = std::move(merged.results);
    return {};
}

Result<void> compute(TaskSlot& slot, const jobs::Run& run, const TaskContext& place,
                     TaskReport& report) {
    const auto& task = slot.task;
    TRY(const auto& args, task.args.parsed(run));
    if (task.merge) {
        TRY(auto merged, run.merge(args, task.partials));
        report.report = std::move(merged.summary);
        report.output.results = std::move(merged.results);
        return {};
    }
    auto context = context_of(slot, place);
    TRY(report.output, run.run(args, task.input, context));
    return complete_whole(task, run, args, report);
}

// A last resort, like that of requests: exceptions of a task end here.
template <typename Computing>
auto caught(const Computing& computing) -> decltype(computing()) {
    try {
        return computing();
    } catch (const std::bad_alloc&) {
        return fail(Errc::exhausted, "The worker ran out of memory.");
    } catch (const std::exception& e) {
        return fail(Errc::internal, std::string("The task failed unexpectedly: ") + e.what());
    } catch (...) {
        return fail(Errc::internal, "The task failed unexpectedly.");
    }
}

Result<void> compute_caught(TaskSlot& slot, const FindRun& find_run, const TaskContext& place,
                            TaskReport& report) {
    const auto& task = slot.task;
    const auto* run = find_run(task.kind, task.kind_version);
    if (run == nullptr) {
        return fail(Errc::unavailable, "This worker does not support the kind " + task.kind +
                                           " in version " + std::to_string(task.kind_version) +
                                           ".");
    }
    return caught([&] { return compute(slot, *run, place, report); });
}

void log_ended(const TaskSlot& slot, const TaskReport& report) {
    const auto& task = slot.task;
    log::write(report.cause ? log::Level::warn : log::Level::debug,
               report.cause ? "task failed" : "task done",
               {{"job", to_public(task.job)},
                {"task", std::to_string(task.seq)},
                {"attempt", std::to_string(task.attempt)},
                {"duration_ms", std::to_string(std::lround(report.device_seconds * 1e3))},
                {"error", std::string(report.cause ? to_string(*report.cause) : "")}});
}

void say_pause(jobs::TaskLog& log, Errc error, std::chrono::duration<double> pause) {
    if (error == Errc::exhausted) {
        log.say(jobs::LogLevel::warning,
                "Memory ran out: models and buffers kept between tasks are released.");
    }
    log.say(jobs::LogLevel::info, "The error may be temporary: the task waits at least " +
                                      std::to_string(std::max(1L, std::lround(pause.count()))) +
                                      " s before its next attempt.");
}

// The report of a task: its output, or why there is none; nothing if it stopped on request.
std::optional<TaskReport> finish_report(TaskReport report, TaskSlot& slot, const Result<void>& done,
                                        double chance) {
    report.tokens = slot.progress.tokens();
    if (!done) {
        const Error& error = done.error();
        if (error.code == Errc::cancelled && slot.stop.stop_requested()) return std::nullopt;
        const auto pause = queue::pause_before_retry(error.code, slot.task.attempt, chance);
        report.outcome = pause ? TaskReport::Outcome::retry : TaskReport::Outcome::failed;
        report.pause = pause.value_or(report.pause);
        report.error = error.message;
        report.cause = error.code;
        if (pause) say_pause(slot.log, error.code, *pause);
    }
    report.lines = slot.log.last();
    log_ended(slot, report);
    return report;
}

// Tasks as their kind sees them.
class SharedTasks {
  public:
    SharedTasks(std::span<TaskSlot* const> slots, const jobs::Run& run, const TaskContext& place) {
        for (TaskSlot* slot : slots) {
            const auto& args = slot->task.args.parsed(run);
            if (!args) continue;
            auto& context = contexts_.emplace_back(context_of(*slot, place));
            tasks_.push_back({.args = *args, .input = slot->task.input, .context = context});
            slots_.push_back(slot);
        }
    }

    std::span<jobs::SharedTask> tasks() { return tasks_; }
    const std::vector<TaskSlot*>& slots() const { return slots_; }

  private:
    std::deque<jobs::RunContext> contexts_;
    std::vector<jobs::SharedTask> tasks_;
    std::vector<TaskSlot*> slots_;  // of the tasks
};

void run_caught(const jobs::Run& run, SharedTasks& shared) {
    std::string reason = "unknown";
    try {
        run.run_together(shared.tasks());
        return;
    } catch (const std::exception& e) {
        reason = e.what();
    } catch (...) {
    }
    std::vector<JobId> jobs;
    for (const auto* slot : shared.slots()) jobs.push_back(slot->task.job);
    log::warn("tasks could not run together",
              {{"jobs", ids_of(std::move(jobs))}, {"reason", reason}});
    for (const auto& task : shared.tasks()) {
        task.context.say(jobs::LogLevel::warning,
                         "Could not run together with other tasks, so it runs alone: " + reason);
    }
}

}  // namespace

std::optional<TaskReport> run_task(TaskSlot& slot, const FindRun& find_run,
                                   const TaskContext& place, double chance) {
    TaskReport report = begin_report(slot.task);
    const auto start = std::chrono::steady_clock::now();
    slot.began = SystemClock().now();
    const auto done = compute_caught(slot, find_run, place, report);
    slot.ended = SystemClock().now();
    report.device_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return finish_report(std::move(report), slot, done, chance);
}

Together run_together(std::span<TaskSlot* const> slots, const FindRun& find_run,
                      const TaskContext& place, const std::function<double()>& random) {
    const auto& first = slots.front()->task;
    const auto& run = *find_run(first.kind, first.kind_version);
    SharedTasks shared(slots, run, place);
    const auto start = std::chrono::steady_clock::now();
    const auto began = SystemClock().now();
    if (!shared.tasks().empty()) run_caught(run, shared);
    const auto took = std::chrono::steady_clock::now() - start;
    const auto ended = SystemClock().now();
    for (auto* slot : slots) slot->began = began, slot->ended = ended;
    std::vector<std::uint64_t> work;
    for (const auto& task : shared.tasks()) work.push_back(task.work);
    const auto times = divided(took, work);
    Together together;
    auto slot = slots.begin();
    for (std::size_t i = 0; i < shared.slots().size(); ++i, ++slot) {
        for (; *slot != shared.slots()[i]; ++slot) together.alone.push_back(*slot);
        auto& output = shared.tasks()[i].output;
        if (!output) {
            together.alone.push_back(*slot);
            continue;
        }
        TaskReport report = begin_report((*slot)->task);
        report.device_seconds = std::chrono::duration<double>(times[i]).count();
        Result<void> done;
        if (*output) {
            report.output = std::move(**output);
            done = caught(
                [&] { return complete_whole((*slot)->task, run, shared.tasks()[i].args, report); });
        } else {
            done = fail(output->error());
        }
        auto finished = finish_report(std::move(report), **slot, done, random());
        if (finished) together.reports.push_back(std::move(*finished));
    }
    together.alone.insert(together.alone.end(), slot, slots.end());
    return together;
}

Result<jobs::Merged> merge_whole(const WholeJob& job, const FindRun& find_run) {
    const auto& task = job.slots.back()->task;
    const auto& run = *find_run(task.kind, task.kind_version);
    return caught([&] { return run.merge(*task.args.parsed(run), job.partials); });
}

std::vector<std::chrono::nanoseconds> divided(std::chrono::nanoseconds whole,
                                              std::span<const std::uint64_t> work) {
    const auto all = std::accumulate(work.begin(), work.end(), std::uint64_t{0});
    std::vector<std::chrono::nanoseconds> parts;
    std::chrono::nanoseconds given{0};
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
        before += all == 0 ? 1 : work[i];
        // Rounded where a part ends: what one part loses, the next one gains.
        const double share =
            static_cast<double>(before) / static_cast<double>(all == 0 ? work.size() : all);
        const std::chrono::nanoseconds end(
            std::llround(share * static_cast<double>(whole.count())));
        parts.push_back(end - given);
        given = end;
    }
    return parts;
}

TaskReport report_death(const queue::ClaimedTask& task, std::string error, double device_seconds) {
    TaskReport report = begin_report(task);
    report.device_seconds = device_seconds;
    make_death(report, std::move(error));
    return report;
}

void make_death(TaskReport& report, std::string error) {
    report.outcome = TaskReport::Outcome::died;
    report.pause = {};
    report.error = std::move(error);
    report.cause.reset();
}

}  // namespace plimsoll::worker
