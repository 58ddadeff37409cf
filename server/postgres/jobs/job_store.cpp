#include "server/postgres/jobs/job_store.hpp"

#include "migrations/embedded.hpp"
#include "server/postgres/driver/optional.hpp"
#include "server/postgres/driver/sqlstate.hpp"
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
    auto rows = co_await run_in(
        pool_, in_team(team),
        Statement::of(sql::jobs_submitted_before, team, key.key, Bytes{key.fingerprint}));
    if (!rows) co_return fail(std::move(rows.error()));
    if (rows->empty()) co_return fail(Errc::not_found, "This idempotency key was not used.");
    if (!(*rows)[0].get<bool>("same")) {
        co_return fail(Errc::conflict, "The idempotency key was used with another request.");
    }
    co_return queue::Submitted{(*rows)[0].get<JobId>("job_id"), true};
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
    auto rows = co_await run_in(pool_, in_team(team), list_query(filter));
    if (!rows) co_return fail(std::move(rows.error()));
    co_return to_found(*rows);
}

awaitable<Result<queue::JobCounts>> JobStore::count(TeamId team, queue::JobFilter filter) {
    auto rows = co_await run_in(pool_, in_team(team), count_query(filter));
    if (!rows) co_return fail(std::move(rows.error()));
    co_return to_counts(*rows);
}

awaitable<Result<std::vector<queue::Attempt>>> JobStore::attempts(TeamId team, JobId id,
                                                                  queue::AttemptPlace after,
                                                                  int limit) {
    co_return every(
        co_await about(team, id,
                       Statement::of(sql::jobs_attempts, team, id, after.task, after.fence, limit)),
        to_attempt);
}

awaitable<Result<std::vector<queue::JobLogLine>>> JobStore::log(TeamId team, JobId id,
                                                                queue::LogFilter filter) {
    co_return every(co_await about(team, id, log_query(team, id, filter)), to_log_line);
}

awaitable<Result<queue::FoundTasks>> JobStore::tasks(TeamId team, JobId id,
                                                     queue::TaskFilter filter) {
    const auto given = [](const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(text);
    };
    auto rows = co_await about(
        team, id,
        Statement::of(sql::jobs_tasks, team, id, filter.after, given(filter.state),
                      given(filter.node), given(filter.device),
                      filter.attempt == 0 ? std::nullopt : std::optional(filter.attempt),
                      given(filter.error.empty() ? "" : within_json(filter.error)),
                      queue::kTasksExamined, filter.limit));
    if (!rows) co_return fail(std::move(rows.error()));
    co_return to_found_tasks(*rows);
}

awaitable<Result<queue::Job>> JobStore::cancel(TeamId team, UserId by, JobId id) {
    auto replies = co_await run_in(pool_, kCallTimeout, in_team(team),
                                   Statement::of(sql::jobs_cancel, team, id, by),
                                   Statement::of(sql::jobs_get, std::vector{id.value}));
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
    co_return every(
        co_await run_in(pool_, in_team(team), Statement::of(sql::jobs_redrive, team, jobs, by)),
        to_redriven);
}

awaitable<Result<std::optional<queue::Wait>>> JobStore::wait(TeamId team, JobId id) {
    auto rows = co_await about(team, id, Statement::of(sql::jobs_wait, team, id));
    if (!rows) co_return fail(std::move(rows.error()));
    if (rows->empty()) co_return std::nullopt;
    co_return to_wait((*rows)[0]);
}

awaitable<Result<void>> JobStore::remove(TeamId team, UserId by, JobId id) {
    auto rows =
        co_await run_in(pool_, in_team(team), Statement::of(sql::jobs_delete, team, id, by));
    if (!rows) co_return fail(std::move(rows.error()));
    const auto outcome = (*rows)[0].get<std::string>("outcome");
    if (outcome == "not_found") co_return fail(no_such_job());
    if (outcome == "unfinished") {
        co_return fail(Errc::conflict, "The job has not finished yet: cancel it first.");
    }
    co_return Result<void>{};
}

asio::awaitable<Result<Rows>> JobStore::about(TeamId team, JobId id, Statement statement) {
    auto replies = co_await run_in(pool_, kCallTimeout, in_team(team),
                                   Statement::of(sql::jobs_version, id), std::move(statement));
    if (replies && (*replies)[1].empty()) co_return fail(no_such_job());
    co_return last(std::move(replies));
}

awaitable<Result<std::vector<queue::JobEvent>>> JobStore::events(TeamId team, JobId id,
                                                                 std::int64_t after, int limit) {
    co_return every(co_await about(team, id, Statement::of(sql::events_after, id, after, limit)),
                    to_event);
}

awaitable<Result<std::string>> JobStore::report(TeamId team, JobId id) {
    auto replies =
        co_await run_in(pool_, kCallTimeout, in_team(team), Statement::of(sql::jobs_version, id),
                        Statement::of(sql::results_report, id));
    if (!replies) co_return fail(std::move(replies.error()));
    if ((*replies)[1].empty()) co_return fail(no_such_job());
    if (!(*replies)[1][0].get<bool>("finished")) {
        co_return fail(Errc::conflict, "The job has not finished yet, so it has no report.");
    }
    if (replies->back().empty()) co_return fail(Errc::not_found, "The job ended without a report.");
    co_return replies->back()[0].get<std::string>("content");
}

awaitable<Result<std::vector<queue::ChunkInfo>>> JobStore::result_chunks(TeamId team, JobId id) {
    co_return every(co_await about(team, id, Statement::of(sql::results_chunks, id)),
                    to_chunk_info);
}

awaitable<Result<std::string>> JobStore::result_chunk(TeamId team, JobId id, int seq) {
    co_return first(co_await about(team, id, Statement::of(sql::results_chunk, id, seq)),
                    to_content, {Errc::not_found, "The result chunk was not found.", {}});
}

awaitable<Result<queue::TaskInput>> JobStore::task_input(TeamId team, JobId id, int seq) {
    auto rows = co_await about(team, id, Statement::of(sql::results_input, id, seq));
    if (!rows) co_return fail(std::move(rows.error()));
    if (rows->empty()) co_return fail(Errc::not_found, "The task was not found.");
    const Row row = (*rows)[0];
    auto input = row.get<std::optional<std::string>>("input");
    if (!input) co_return fail(Errc::not_found, "The task's input has been deleted.");
    co_return queue::TaskInput{std::move(*input), {row.get<int>("slice"), row.get<int>("slices")}};
}

awaitable<Result<std::vector<queue::DeviceStatus>>> JobStore::devices() {
    co_return every(co_await pool_.run(Statement::of(sql::devices_list), kCallTimeout), to_device);
}

awaitable<Result<queue::Uses>> JobStore::uses(TeamId team, std::string sort, std::string name) {
    const auto statement = std::ranges::find(sql::all, "uses." + sort, &Query::name);
    if (statement == std::end(sql::all)) throw std::logic_error("no statement uses." + sort);
    auto rows =
        co_await run_in(pool_, in_team(team), Statement::of(*statement, team, std::move(name)));
    if (!rows) co_return fail(std::move(rows.error()));
    queue::Uses uses;
    for (const Row row : *rows) {
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
    if (pool_.lacked_space()) co_return fail(Errc::unavailable, kDiskFull);
    auto rows = co_await pool_.run(Statement::of(sql::duties_schema_version), kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    const auto version = (*rows)[0].get<std::optional<std::int64_t>>(0).value_or(0);
    const auto known = static_cast<std::int64_t>(migrations::kSchema.versions.size());
    if (version != known) {
        co_return fail(Errc::unavailable,
                       "The database's schema is version " + std::to_string(version) +
                           ", but this program's is version " + std::to_string(known) + ".");
    }
    auto unsuitable = co_await pool_.run(Statement::of(sql::duties_unsuitable), kCallTimeout);
    if (!unsuitable) co_return fail(std::move(unsuitable.error()));
    for (const Row row : *unsuitable) {
        if (row.get<bool>("fatal")) {
            co_return fail(Errc::unavailable, row.get<std::string>("what"));
        }
    }
    co_return Result<void>{};
}

}  // namespace plimsoll::postgres
