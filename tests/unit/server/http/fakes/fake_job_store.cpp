#include "fake_job_store.hpp"

#include "server/base/gzip.hpp"

#include <algorithm>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::http::test {

using queue::JobState;

Result<FakeJobStore::Stored*> FakeJobStore::find(TeamId team, JobId id) {
    if (broken) return fail(*broken);
    const auto found = jobs.find(id);
    if (found == jobs.end() || found->second.job.team != team) {
        return fail(Errc::not_found, "There is no such job.");
    }
    return &found->second;
}

awaitable<Result<queue::Submitted>> FakeJobStore::submit(queue::NewJob job) {
    if (broken) co_return fail(*broken);
    if (refusal) co_return queue::Submitted{{}, false, false, refusal};
    if (job.idempotency) {
        const auto first = co_await submitted_before(job.team, *job.idempotency);
        if (first || first.error().code == Errc::conflict) co_return first;
    }
    for (const auto& [id, stored] : jobs) {
        if (!job.unique_key.empty() && stored.job.team == job.team &&
            stored.job.unique_key == job.unique_key && !queue::is_final(stored.job.state)) {
            co_return queue::Submitted{id, false, true};
        }
    }
    const JobId id{next_++};
    auto& stored = jobs[id];
    stored.key = job.idempotency;
    stored.job.id = id;
    stored.job.team = job.team;
    stored.job.submitter = job.submitter;
    stored.job.submitter_name = "ada";
    stored.job.kind = job.kind;
    stored.job.name = job.name;
    stored.job.labels = job.labels;
    stored.job.priority = job.priority;
    stored.job.run_at = job.run_at;
    stored.job.deadline = job.deadline;
    stored.job.timeout = job.timeout;
    stored.job.unique_key = job.unique_key;
    stored.job.args = job.plan.args;
    for (const auto& task : job.plan.tasks) stored.job.items_total += task.items;
    stored.plan = std::move(job.plan);
    happen(id, JobState::queued, "submitted");
    co_return queue::Submitted{id, false};
}

awaitable<Result<queue::Submitted>> FakeJobStore::submitted_before(TeamId team,
                                                                   queue::IdempotencyKey key) {
    for (const auto& [id, stored] : jobs) {
        if (!stored.key || stored.job.team != team || stored.key->key != key.key) continue;
        if (stored.key->fingerprint != key.fingerprint) {
            co_return fail(Errc::conflict, "The key was used with another body.");
        }
        co_return queue::Submitted{id, true};
    }
    co_return fail(Errc::not_found, "The key was not used.");
}

awaitable<Result<std::vector<Result<queue::Submitted>>>> FakeJobStore::submit_all(
    std::vector<queue::NewJob> bundle, bool whole) {
    const auto before = jobs;
    std::vector<Result<queue::Submitted>> answers;
    for (auto& job : bundle) answers.push_back(co_await submit(std::move(job)));
    const auto at_fault = [](const auto& answer) { return !answer || answer->taken; };
    if (whole && std::ranges::any_of(answers, at_fault)) {
        jobs = before;
        for (auto& answer : answers) {
            if (!at_fault(answer)) answer = fail(Errc::cancelled, "Not stored.");
        }
    }
    co_return answers;
}

void FakeJobStore::happen(JobId id, JobState state, const std::string& event) {
    auto& stored = jobs.at(id);
    stored.job.state = state;
    ++stored.job.version;
    if (state == JobState::running) stored.job.started_at = Timestamp(std::chrono::seconds(10));
    if (queue::is_final(state)) stored.job.finished_at = Timestamp(std::chrono::seconds(20));
    const auto number = static_cast<std::int64_t>(stored.events.size()) + 1;
    stored.events.push_back({number, event, "{}", Timestamp(std::chrono::seconds(number))});
}

awaitable<Result<queue::Job>> FakeJobStore::get(TeamId team, JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    co_return (*stored)->job;
}

awaitable<Result<std::vector<queue::Job>>> FakeJobStore::list(TeamId team,
                                                              queue::JobFilter filter) {
    if (broken) co_return fail(*broken);
    std::vector<queue::Job> found;
    for (auto entry = jobs.rbegin(); entry != jobs.rend(); ++entry) {
        const auto& job = entry->second.job;
        if (job.team != team || static_cast<int>(found.size()) == filter.limit) continue;
        if (filter.before && !(job.id < *filter.before)) continue;
        if (!filter.kind.empty() && job.kind != filter.kind) continue;
        if (filter.state && job.state != *filter.state) continue;
        if (!filter.label_key.empty()) {
            const auto label = job.labels.find(filter.label_key);
            if (label == job.labels.end()) continue;
            if (!filter.label_value.empty() && label->second != filter.label_value) continue;
        }
        found.push_back(job);
    }
    co_return found;
}

awaitable<Result<queue::Job>> FakeJobStore::cancel(TeamId team, UserId, JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (queue::is_final((*stored)->job.state)) {
        co_return fail(Errc::conflict, "The job is finished already.");
    }
    happen(id, JobState::cancelling, "cancelling");
    co_return (*stored)->job;
}

awaitable<Result<std::vector<queue::Redriven>>> FakeJobStore::redrive(TeamId team, UserId,
                                                                      std::vector<JobId> ids) {
    std::vector<queue::Redriven> outcomes;
    for (const JobId id : ids) {
        const auto stored = find(team, id);
        auto outcome = queue::Redrive::redriven;
        if (!stored) {
            outcome = queue::Redrive::not_found;
        } else if (!queue::is_final((*stored)->job.state)) {
            outcome = queue::Redrive::unfinished;
        } else if ((*stored)->job.state == JobState::succeeded) {
            outcome = queue::Redrive::complete;
        } else {
            happen(id, JobState::queued, "redriven");
        }
        outcomes.push_back({id, outcome});
    }
    co_return outcomes;
}

awaitable<Result<std::optional<queue::Wait>>> FakeJobStore::wait(TeamId team, JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (queue::is_final((*stored)->job.state)) co_return std::nullopt;
    queue::Wait wait;
    wait.reason = "own_jobs";
    wait.tasks_ahead = 12;
    wait.device_class = "gpu";
    co_return wait;
}

awaitable<Result<void>> FakeJobStore::remove(TeamId team, UserId, JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (!queue::is_final((*stored)->job.state)) {
        co_return fail(Errc::conflict, "The job is not finished. Cancel it first.");
    }
    jobs.erase(id);
    co_return Result<void>();
}

awaitable<Result<std::vector<queue::JobEvent>>> FakeJobStore::events(TeamId team, JobId id,
                                                                     std::int64_t after,
                                                                     int limit) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    std::vector<queue::JobEvent> found;
    for (const auto& event : (*stored)->events) {
        if (event.number > after && static_cast<int>(found.size()) < limit) found.push_back(event);
    }
    co_return found;
}

awaitable<Result<std::string>> FakeJobStore::report(TeamId team, JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (!(*stored)->report) co_return fail(Errc::not_found, "The job has no report.");
    co_return *(*stored)->report;
}

awaitable<Result<std::vector<queue::ChunkInfo>>> FakeJobStore::result_chunks(TeamId team,
                                                                             JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    std::vector<queue::ChunkInfo> chunks;
    for (const auto& chunk : (*stored)->chunks) {
        const auto seq = static_cast<int>(chunks.size());
        chunks.push_back({seq, seq, 1, static_cast<std::int64_t>(chunk.size()),
                          gzip_content_bytes(chunk), (*stored)->given_up});
    }
    co_return chunks;
}

awaitable<Result<std::string>> FakeJobStore::result_chunk(TeamId team, JobId id, int seq) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    ++chunks_read;
    co_return (*stored)->chunks.at(static_cast<std::size_t>(seq));
}

awaitable<Result<std::string>> FakeJobStore::task_input(TeamId team, JobId id, int seq) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (static_cast<std::size_t>(seq) >= (*stored)->plan.tasks.size()) {
        co_return fail(Errc::not_found, "The task's input has been deleted.");
    }
    co_return (*stored)->plan.tasks[static_cast<std::size_t>(seq)].input;
}

awaitable<Result<std::vector<queue::DeviceStatus>>> FakeJobStore::devices() {
    if (broken) co_return fail(*broken);
    queue::DeviceStatus host;
    host.node = "node-a";
    host.device = "host";
    host.device_class = "host";
    host.name = "node-a";
    host.state = "ready";
    std::vector devices{host};
    devices.insert(devices.end(), more_devices.begin(), more_devices.end());
    co_return devices;
}

awaitable<Result<void>> FakeJobStore::ready() {
    if (broken) co_return fail(*broken);
    co_return Result<void>();
}

awaitable<void> FakeSignals::changed(JobId, std::chrono::steady_clock::time_point deadline) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, deadline);
    const auto place = waiting_.insert(waiting_.end(), &timer);
    boost::system::error_code ignored;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    waiting_.erase(place);
}

void FakeSignals::wake() {
    for (auto* timer : waiting_) timer->cancel();
}

}  // namespace plimsoll::http::test
