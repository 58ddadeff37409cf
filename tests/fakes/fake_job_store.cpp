#include "tests/fakes/fake_job_store.hpp"

#include "server/base/gzip.hpp"

#include <algorithm>
#include <set>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::fakes {

using queue::JobState;

Result<FakeJobStore::Stored*> FakeJobStore::find(TeamId team, JobId id) {
    if (broken) return fail(*broken);
    const auto found = jobs.find(id);
    if (found == jobs.end() || found->second.job.team != team) {
        return fail(Errc::not_found, "The job was not found.");
    }
    return &found->second;
}

std::optional<JobId> FakeJobStore::holder(TeamId team, const std::string& unique_key) const {
    if (unique_key.empty()) return std::nullopt;
    for (const auto& [id, stored] : jobs) {
        if (stored.job.team == team && stored.job.unique_key == unique_key &&
            !queue::is_final(stored.job.state)) {
            return id;
        }
    }
    return std::nullopt;
}

Result<queue::Submitted> FakeJobStore::store(queue::NewJob job, std::optional<DatasetId> dataset) {
    if (broken) return fail(*broken);
    if (refusal) return queue::Submitted{{}, false, false, refusal};
    if (!nlohmann::json::accept(job.plan.args)) {
        return fail(Errc::invalid_input, "The arguments are not JSON.");
    }
    if (job.idempotency) {
        auto first = stored_before(job.team, *job.idempotency);
        if (first || first.error().code == Errc::conflict) return first;
    }
    if (const auto id = holder(job.team, job.unique_key)) return queue::Submitted{*id, false, true};
    const JobId id{next_++};
    auto& stored = jobs[id];
    stored.key = job.idempotency;
    stored.plan = job.plan;
    stored.dataset = dataset;
    stored.job = queue::stored(std::move(job), id, SystemClock().now());
    queue::Submitted submitted{.id = id, .made = stored.job};
    stored.job.submitter_name = identity_.name_of(stored.job.submitter);
    stored.events.push_back({1, "submitted", "{}", stored.job.created_at});
    return submitted;
}

awaitable<Result<queue::Submitted>> FakeJobStore::submit(queue::NewJob job) {
    co_return store(std::move(job), std::nullopt);
}

Result<queue::Submitted> FakeJobStore::stored_before(TeamId team,
                                                     const queue::IdempotencyKey& key) const {
    for (const auto& [id, stored] : jobs) {
        if (!stored.key || stored.job.team != team || stored.key->key != key.key) continue;
        if (stored.key->fingerprint != key.fingerprint) {
            return fail(Errc::conflict, "The key was used with another body.");
        }
        return queue::Submitted{id, true};
    }
    return fail(Errc::not_found, "The key was not used.");
}

awaitable<Result<queue::Submitted>> FakeJobStore::submitted_before(TeamId team,
                                                                   queue::IdempotencyKey key) {
    if (broken) co_return fail(*broken);
    co_return stored_before(team, key);
}

awaitable<Result<std::vector<Result<queue::Submitted>>>> FakeJobStore::submit_all(
    std::vector<queue::NewJob> bundle, bool whole) {
    if (broken) co_return fail(*broken);
    const auto before = jobs;
    std::vector<Result<queue::Submitted>> answers;
    for (auto& job : bundle) answers.push_back(co_await submit(std::move(job)));
    const auto at_fault = [](const auto& answer) {
        return !answer || answer->taken || answer->over_quota;
    };
    if (whole && std::ranges::any_of(answers, at_fault)) {
        jobs = before;
        for (auto& answer : answers) {
            if (!answer && answer.error().code == Errc::invalid_input) {
                co_return fail(answer.error());
            }
            if (!at_fault(answer)) answer = fail(Errc::cancelled, "Not stored.");
        }
    }
    co_return answers;
}

void FakeJobStore::forget_dataset(DatasetId id) {
    for (auto& [job, stored] : jobs) {
        if (stored.dataset == id) stored.plan.tasks.clear();
    }
}

bool FakeJobStore::uses(DatasetId id) const {
    return std::ranges::any_of(jobs, [id](const auto& entry) {
        return entry.second.dataset == id && !queue::is_final(entry.second.job.state);
    });
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

namespace {

bool matches(const FakeJobStore::Stored& stored, const queue::JobFilter& filter) {
    const auto& job = stored.job;
    if (!filter.kind.empty() && job.kind != filter.kind) return false;
    if (filter.unfinished && queue::is_final(job.state)) return false;
    if (filter.submitter && job.submitter != *filter.submitter) return false;
    if (!filter.submitter_name.empty() && job.submitter_name != filter.submitter_name) return false;
    if (filter.created_from && job.created_at < *filter.created_from) return false;
    if (filter.created_before && job.created_at >= *filter.created_before) return false;
    if (!filter.device_class.empty() && job.device_class != filter.device_class) return false;
    const auto ran_there = [&](const queue::Attempt& attempt) {
        return attempt.node == filter.node && attempt.device == filter.device;
    };
    if (!filter.device.empty() && std::ranges::none_of(stored.attempts, ran_there)) return false;
    if (filter.only && job.id != *filter.only) return false;
    for (const auto& word : filter.words) {
        if (job.name.find(word) == std::string::npos) return false;
    }
    if (filter.label_key.empty()) return true;
    const auto label = job.labels.find(filter.label_key);
    return label != job.labels.end() &&
           (filter.label_value.empty() || label->second == filter.label_value);
}

}  // namespace

awaitable<Result<queue::FoundJobs>> FakeJobStore::list(TeamId team, queue::JobFilter filter) {
    if (broken) co_return fail(*broken);
    queue::FoundJobs found;
    for (auto entry = jobs.rbegin(); entry != jobs.rend(); ++entry) {
        const auto& job = entry->second.job;
        if (job.team != team || static_cast<int>(found.jobs.size()) == filter.limit) continue;
        if (filter.before && !(job.id < *filter.before)) continue;
        if (filter.state && job.state != *filter.state) continue;
        if (matches(entry->second, filter)) found.jobs.push_back(job);
    }
    co_return found;
}

awaitable<Result<queue::JobCounts>> FakeJobStore::count(TeamId team, queue::JobFilter filter) {
    if (broken) co_return fail(*broken);
    queue::JobCounts counts;
    for (const auto& [id, stored] : jobs) {
        if (stored.job.team == team && matches(stored, filter)) ++counts.jobs[stored.job.state];
    }
    co_return counts;
}

awaitable<Result<std::vector<queue::Attempt>>> FakeJobStore::attempts(TeamId team, JobId id,
                                                                      queue::AttemptPlace after,
                                                                      int limit) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    std::vector<queue::Attempt> found;
    for (const auto& attempt : (*stored)->attempts) {
        if (std::pair(attempt.task, attempt.fence) <= std::pair(after.task, after.fence)) continue;
        if (static_cast<int>(found.size()) < limit) found.push_back(attempt);
    }
    co_return found;
}

awaitable<Result<queue::Job>> FakeJobStore::cancel(TeamId team, UserId, JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (queue::is_final((*stored)->job.state)) {
        co_return fail(Errc::conflict, "The job is finished already.");
    }
    if ((*stored)->job.state == JobState::cancelling) co_return (*stored)->job;
    if ((*stored)->job.started_at) {
        happen(id, JobState::cancelling, "cancelling");
    } else {
        happen(id, JobState::cancelled, "finished");
    }
    co_return (*stored)->job;
}

queue::Redrive FakeJobStore::redrive(TeamId team, JobId id) {
    const auto found = find(team, id);
    if (!found) return queue::Redrive::not_found;
    auto& [job, events, chunks, given_up, report, key, plan, dataset, attempts, log] = **found;
    if (!queue::is_final(job.state)) return queue::Redrive::unfinished;
    if (dataset && plan.tasks.empty()) return queue::Redrive::no_dataset;
    if (job.state == JobState::succeeded && given_up.empty()) return queue::Redrive::complete;
    if (holder(team, job.unique_key)) return queue::Redrive::not_unique;
    job.started_at.reset();
    job.finished_at.reset();
    job.error.clear();
    job.tasks_failed = 0;
    given_up.clear();
    report.reset();
    happen(id, JobState::queued, "redriven");
    return queue::Redrive::redriven;
}

awaitable<Result<std::vector<queue::Redriven>>> FakeJobStore::redrive(TeamId team, UserId,
                                                                      std::vector<JobId> ids) {
    if (broken) co_return fail(*broken);
    std::vector<queue::Redriven> outcomes;
    for (const JobId id : std::set(ids.begin(), ids.end())) {
        outcomes.push_back({id, redrive(team, id)});
    }
    co_return outcomes;
}

awaitable<Result<std::optional<queue::Wait>>> FakeJobStore::wait(TeamId team, JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (queue::is_final((*stored)->job.state)) co_return std::nullopt;
    queue::Wait wait;
    if ((*stored)->job.state == JobState::scheduled) {
        wait.reason = "scheduled";
        wait.until = (*stored)->job.run_at;
        co_return wait;
    }
    wait.reason = "own_jobs";  // without workers, one reason is as good as another
    wait.tasks_ahead = 12;
    wait.device_class = "gpu";
    co_return wait;
}

awaitable<Result<void>> FakeJobStore::remove(TeamId team, UserId, JobId id) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (!queue::is_final((*stored)->job.state)) {
        co_return fail(Errc::conflict, "The job has not finished yet: cancel it first.");
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
    if (!queue::is_final((*stored)->job.state)) {
        co_return fail(Errc::conflict, "The job has not finished yet, so it has no report.");
    }
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
    const auto& chunks = (*stored)->chunks;
    if (static_cast<std::size_t>(seq) >= chunks.size()) {
        co_return fail(Errc::not_found, "The chunk was not found.");
    }
    co_return chunks[static_cast<std::size_t>(seq)];
}

awaitable<Result<queue::TaskInput>> FakeJobStore::task_input(TeamId team, JobId id, int seq) {
    const auto stored = find(team, id);
    if (!stored) co_return fail(stored.error());
    if (static_cast<std::size_t>(seq) >= (*stored)->plan.tasks.size()) {
        co_return fail(Errc::not_found, "The task's input has been deleted.");
    }
    co_return queue::TaskInput{(*stored)->plan.tasks[static_cast<std::size_t>(seq)].input};
}

awaitable<Result<std::vector<queue::DeviceStatus>>> FakeJobStore::devices() {
    if (broken) co_return fail(*broken);
    ++devices_read;
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

// The jobs of the team whose tasks need it.
awaitable<Result<queue::Uses>> FakeJobStore::uses(TeamId team, std::string sort, std::string name) {
    if (broken) co_return fail(*broken);
    queue::Uses uses;
    auto& users = uses["job"];
    for (const auto& [id, stored] : jobs) {
        const auto& needs = stored.plan.requirement.capability;
        if (is_final(stored.job.state) || needs.find(sort + " " + name + " ") == std::string::npos)
            continue;
        if (stored.job.team != team) {
            ++users.elsewhere;
            continue;
        }
        ++users.own;
        users.first.push_back({to_public(id), stored.job.name});
    }
    co_return uses;
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

awaitable<void> FakeSignals::changed_since(JobId id,
                                           std::chrono::steady_clock::time_point /*since*/,
                                           std::chrono::steady_clock::time_point deadline) {
    return changed(id, deadline);
}

void FakeSignals::wake() {
    for (auto* timer : waiting_) timer->cancel();
}

}  // namespace plimsoll::fakes
