#include "server/worker/loop/recorder.hpp"

#include "server/base/log.hpp"

#include <deque>
#include <set>
#include <string>
#include <utility>

namespace plimsoll::worker {
namespace {

constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{2000};

void log_dropped(const Batch& batch) {
    std::vector<JobId> jobs;
    for (const auto& report : batch.reports) jobs.push_back(report.job);
    log::warn("results dropped: the lease was lost",
              {{"fence", std::to_string(batch.fence)},
               {"tasks", std::to_string(batch.reports.size())},
               {"jobs", ids_of(std::move(jobs))}});
}

std::vector<queue::TaskName> unfinished(const Batch& batch) {
    std::set<queue::TaskName> reported;
    for (const auto& report : batch.reports) reported.insert({report.job, report.seq});
    std::vector<queue::TaskName> names;
    for (const auto& slot : batch.slots) {
        const queue::TaskName name{slot->task.job, slot->task.seq};
        if (!reported.contains(name)) names.push_back(name);
    }
    return names;
}

// A result that the queue refuses fails its task, with the refusal as the reason.
void make_failed(queue::TaskReport& report, const Error& refusal) {
    report.outcome = queue::TaskReport::Outcome::failed;
    report.output = {};
    report.report.clear();
    report.error = "The result could not be stored: " + refusal.message;
}

}  // namespace

Recorder::Recorder(queue::WorkerStore& store, Timer& timer, Outage& outage, Random random)
    : store_(store), timer_(timer), outage_(outage), random_(std::move(random)) {}

awaitable<bool> Recorder::settle(Batch& batch) {
    const bool unfinished = batch.has_unfinished();
    if (!batch.lost && !batch.reports.empty() && !co_await report(batch)) co_return false;
    if (!batch.lost && unfinished && !co_await give_back(batch)) co_return false;
    if (batch.lost) log_dropped(batch);
    co_return true;
}

awaitable<bool> Recorder::report(Batch& batch) {
    Backoff backoff(kFirstPause, kLongestPause, random_);
    // All in one call; if the queue refuses that, one by one, so that only the failing one is
    // rejected.
    std::deque<Reports> parts{batch.reports};
    while (!parts.empty() && !batch.lost) {
        auto& part = parts.front();
        const auto answer = co_await store_.complete(batch.worker, batch.fence, part);
        if (answer) {
            outage_.ends();
            batch.lost = *answer == queue::Acceptance::stale;
            parts.pop_front();
        } else if (outage_.begins_with(answer.error())) {
            co_await pause(backoff);
        } else if (is_gone(answer.error())) {
            batch.lost = true;
        } else if (part.size() > 1) {
            const auto all = std::move(part);
            parts.pop_front();
            for (const auto& one : all) parts.push_back({one});
        } else if (part.front().outcome == queue::TaskReport::Outcome::done) {
            log::error("result refused", {{"job", to_public(part.front().job)},
                                          {"task", std::to_string(part.front().seq)},
                                          {"reason", answer.error().message}});
            make_failed(part.front(), answer.error());
        } else {
            co_return false;
        }
    }
    co_return true;
}

awaitable<bool> Recorder::give_back(const Batch& batch) {
    Backoff backoff(kFirstPause, kLongestPause, random_);
    const auto tasks = unfinished(batch);
    while (!batch.lost) {
        const auto released = co_await store_.release(batch.worker, batch.fence, tasks);
        if (released || is_gone(released.error())) co_return true;
        if (!outage_.begins_with(released.error())) co_return false;
        co_await pause(backoff);
    }
    co_return true;
}

awaitable<void> Recorder::pause(Backoff& backoff) {
    co_await timer_.sleep_until(timer_.now() + backoff.next());
}

void count_settled(queue::WorkerTelemetry& telemetry, const Batch& batch) {
    if (batch.lost) {
        telemetry.tasks_dropped += static_cast<std::int64_t>(batch.reports.size());
        return;
    }
    for (const auto& report : batch.reports) {
        switch (report.outcome) {
            case queue::TaskReport::Outcome::done: ++telemetry.tasks_done; break;
            case queue::TaskReport::Outcome::retry: ++telemetry.tasks_retried; break;
            case queue::TaskReport::Outcome::failed: ++telemetry.tasks_failed; break;
            case queue::TaskReport::Outcome::died: ++telemetry.tasks_died; break;
        }
    }
    telemetry.tasks_released +=
        static_cast<std::int64_t>(batch.slots.size() - batch.reports.size());
}

}  // namespace plimsoll::worker
