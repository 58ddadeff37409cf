#include "server/postgres/jobs/job_store.hpp"

#include "migrations/embedded.hpp"
#include "server/postgres/driver/optional.hpp"
#include "server/postgres/jobs/bundles.hpp"
#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/jobs/job_search.hpp"
#include "server/postgres/jobs/log_rows.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/schedules/schedule.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace plimsoll::postgres {
namespace {

using queue::awaitable;

template <class... Statements>
Batch batch_of(Statements&&... statements) {
    Batch batch;
    (batch.push_back(std::forward<Statements>(statements)), ...);
    return batch;
}

// Jobs and schedules are numbers in the database, the rest has names.
std::string public_id(std::string_view sort, std::string id) {
    if (sort == "job") return to_public(JobId{std::stoll(id)});
    if (sort == "schedule") return to_public(schedules::ScheduleId{std::stoll(id)});
    return id;
}

}  // namespace

JobStore::JobStore(asio::any_io_executor executor, Pool& pool)
    : pool_(pool),
      submits_(std::make_shared<GroupCommit>(executor, pool)),
      lookups_(std::make_shared<JobLookups>(std::move(executor), pool)) {}

awaitable<Result<queue::Submitted>> JobStore::submit(queue::NewJob job) {
    return submits_->ask(std::move(job));
}

awaitable<Result<queue::Submitted>> JobStore::submitted_before(TeamId team,
                                                               queue::IdempotencyKey key) {
    auto replies = co_await pool_.run(
        batch_of(in_team(team), Statement::of(sql::jobs_submitted_before, team.value, key.key,
                                              Bytes{key.fingerprint})),
        kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    const Rows& rows = replies->back();
    if (rows.empty()) co_return fail(Errc::not_found, "This idempotency key was not used.");
    if (!rows[0].get<bool>("same")) {
        co_return fail(Errc::conflict, "The idempotency key was used with another request.");
    }
    co_return queue::Submitted{JobId{rows[0].get<std::int64_t>("job_id")}, true};
}

awaitable<Result<std::vector<Result<queue::Submitted>>>> JobStore::submit_all(
    std::vector<queue::NewJob> jobs, bool whole) {
    if (whole) co_return co_await store_whole(pool_, std::move(jobs));
    co_return co_await store_each(pool_, std::move(jobs));
}

awaitable<Result<queue::Job>> JobStore::get(TeamId team, JobId id) {
    return lookups_->ask({team, id});
}

awaitable<Result<queue::FoundJobs>> JobStore::list(TeamId team, queue::JobFilter filter) {
    auto replies = co_await pool_.run(batch_of(in_team(team), list_query(filter)), kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    co_return to_found(replies->back());
}

awaitable<Result<queue::JobCounts>> JobStore::count(TeamId team, queue::JobFilter filter) {
    auto replies = co_await pool_.run(batch_of(in_team(team), count_query(filter)), kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    co_return to_counts(replies->back());
}

awaitable<Result<std::vector<queue::Attempt>>> JobStore::attempts(TeamId team, JobId id,
                                                                  queue::AttemptPlace after,
                                                                  int limit) {
    auto replies = co_await about(
        team, id,
        Statement::of(sql::jobs_attempts, team.value, id.value, after.task, after.fence, limit));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<queue::Attempt> attempts;
    for (const Row row : replies->back()) attempts.push_back(to_attempt(row));
    co_return attempts;
}

awaitable<Result<std::vector<queue::JobLogLine>>> JobStore::log(TeamId team, JobId id,
                                                                queue::LogFilter filter) {
    auto replies = co_await about(team, id, log_query(team, id, filter));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<queue::JobLogLine> lines;
    for (const Row row : replies->back()) lines.push_back(to_log_line(row));
    co_return lines;
}

awaitable<Result<queue::FoundTasks>> JobStore::tasks(TeamId team, JobId id,
                                                     queue::TaskFilter filter) {
    const auto given = [](const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(text);
    };
    auto replies = co_await about(
        team, id,
        Statement::of(sql::jobs_tasks, team.value, id.value, filter.after, given(filter.state),
                      given(filter.node), given(filter.device),
                      filter.attempt == 0 ? std::nullopt : std::optional(filter.attempt),
                      given(filter.error.empty() ? "" : within_json(filter.error)),
                      queue::kTasksExamined, filter.limit));
    if (!replies) co_return fail(std::move(replies.error()));
    co_return to_found_tasks(replies->back());
}

awaitable<Result<queue::Job>> JobStore::cancel(TeamId team, UserId by, JobId id) {
    auto replies = co_await pool_.run(
        batch_of(in_team(team), Statement::of(sql::jobs_cancel, team.value, id.value, by.value),
                 Statement::of(sql::jobs_get, std::vector{id.value})),
        kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    const auto outcome = (*replies)[1][0].get<std::string>("outcome");
    if (outcome == "finished") co_return fail(Errc::conflict, "The job has already finished.");
    if (outcome == "not_found" || replies->back().empty()) co_return fail(no_such_job());
    co_return to_job(replies->back()[0]);
}

awaitable<Result<std::vector<queue::Redriven>>> JobStore::redrive(TeamId team, UserId by,
                                                                  std::vector<JobId> ids) {
    std::vector<std::int64_t> jobs;
    for (const JobId id : ids) jobs.push_back(id.value);
    auto replies = co_await pool_.run(
        batch_of(in_team(team), Statement::of(sql::jobs_redrive, team.value, jobs, by.value)),
        kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<queue::Redriven> outcomes;
    for (const Row row : replies->back()) outcomes.push_back(to_redriven(row));
    co_return outcomes;
}

awaitable<Result<std::optional<queue::Wait>>> JobStore::wait(TeamId team, JobId id) {
    auto replies = co_await about(team, id, Statement::of(sql::jobs_wait, team.value, id.value));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return std::nullopt;
    co_return to_wait(replies->back()[0]);
}

awaitable<Result<void>> JobStore::remove(TeamId team, UserId by, JobId id) {
    auto replies = co_await pool_.run(
        batch_of(in_team(team), Statement::of(sql::jobs_delete, team.value, id.value, by.value)),
        kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    const auto outcome = replies->back()[0].get<std::string>("outcome");
    if (outcome == "not_found") co_return fail(no_such_job());
    if (outcome == "unfinished") {
        co_return fail(Errc::conflict, "The job has not finished yet: cancel it first.");
    }
    co_return Result<void>{};
}

asio::awaitable<Result<Replies>> JobStore::about(TeamId team, JobId id, Statement statement) {
    auto replies = co_await pool_.run(
        batch_of(in_team(team), Statement::of(sql::jobs_version, id.value), std::move(statement)),
        kCallTimeout);
    if (replies && (*replies)[1].empty()) co_return fail(no_such_job());
    co_return replies;
}

awaitable<Result<std::vector<queue::JobEvent>>> JobStore::events(TeamId team, JobId id,
                                                                 std::int64_t after, int limit) {
    auto replies =
        co_await about(team, id, Statement::of(sql::events_after, id.value, after, limit));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<queue::JobEvent> events;
    for (const Row row : replies->back()) events.push_back(to_event(row));
    co_return events;
}

awaitable<Result<std::string>> JobStore::report(TeamId team, JobId id) {
    auto replies = co_await about(team, id, Statement::of(sql::results_report, id.value));
    if (!replies) co_return fail(std::move(replies.error()));
    if (!(*replies)[1][0].get<bool>("finished")) {
        co_return fail(Errc::conflict, "The job has not finished yet, so it has no report.");
    }
    if (replies->back().empty()) co_return fail(Errc::not_found, "The job ended without a report.");
    co_return replies->back()[0].get<std::string>("content");
}

awaitable<Result<std::vector<queue::ChunkInfo>>> JobStore::result_chunks(TeamId team, JobId id) {
    auto replies = co_await about(team, id, Statement::of(sql::results_chunks, id.value));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<queue::ChunkInfo> chunks;
    for (const Row row : replies->back()) chunks.push_back(to_chunk_info(row));
    co_return chunks;
}

awaitable<Result<std::string>> JobStore::result_chunk(TeamId team, JobId id, int seq) {
    auto replies = co_await about(team, id, Statement::of(sql::results_chunk, id.value, seq));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(Errc::not_found, "The result chunk was not found.");
    co_return replies->back()[0].get<std::optional<std::string>>("content").value_or("");
}

awaitable<Result<queue::TaskInput>> JobStore::task_input(TeamId team, JobId id, int seq) {
    auto replies = co_await about(team, id, Statement::of(sql::results_input, id.value, seq));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(Errc::not_found, "The task was not found.");
    const Row row = replies->back()[0];
    auto input = row.get<std::optional<std::string>>("input");
    if (!input) co_return fail(Errc::not_found, "The task's input has been deleted.");
    co_return queue::TaskInput{std::move(*input), {row.get<int>("slice"), row.get<int>("slices")}};
}

awaitable<Result<std::vector<queue::DeviceStatus>>> JobStore::devices() {
    auto rows = co_await pool_.run(Statement::of(sql::devices_list), kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    std::vector<queue::DeviceStatus> devices;
    for (const Row row : *rows) devices.push_back(to_device(row));
    co_return devices;
}

awaitable<Result<queue::Uses>> JobStore::uses(TeamId team, std::string sort, std::string name) {
    const auto statement = std::ranges::find(sql::all, "uses." + sort, &Query::name);
    if (statement == std::end(sql::all)) throw std::logic_error("no statement uses." + sort);
    auto replies = co_await pool_.run(
        batch_of(in_team(team), Statement::of(*statement, team.value, std::move(name))),
        kCallTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    queue::Uses uses;
    for (const Row row : replies->back()) {
        const auto of = row.get<std::string>("sort");
        auto& users = uses[of];
        users.own = row.get<std::int64_t>("own");
        users.elsewhere = row.get<std::int64_t>("others");
        if (users.own == 0) continue;
        auto names = row.get<std::vector<std::string>>("names");
        for (auto& id : row.get<std::vector<std::string>>("ids")) {
            users.first.push_back(
                {public_id(of, std::move(id)), std::move(names[users.first.size()])});
        }
    }
    co_return uses;
}

awaitable<Result<void>> JobStore::ready() {
    auto rows = co_await pool_.run(Statement::of(sql::duties_schema_version), kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    const auto version = (*rows)[0].get<std::optional<std::int64_t>>(0).value_or(0);
    const auto known = static_cast<std::int64_t>(migrations::kSchema.versions.size());
    if (version != known) {
        co_return fail(Errc::unavailable,
                       "The database's schema is version " + std::to_string(version) +
                           ", but this program's is version " + std::to_string(known) + ".");
    }
    co_return Result<void>{};
}

}  // namespace plimsoll::postgres
