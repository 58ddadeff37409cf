#include "migrations/embedded.hpp"
#include "server/postgres/driver/rows.hpp"
#include "server/postgres/driver/sqlstate.hpp"
#include "server/postgres/driver/statement.hpp"
#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/jobs/job_search.hpp"
#include "server/postgres/jobs/submit.hpp"
#include "server/postgres/pool/contents.hpp"
#include "server/postgres/pool/lookups.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"
#include "server/queue/job.hpp"
#include "server/queue/job_log.hpp"
#include "server/queue/store.hpp"
#include "server/schedules/schedule.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace plimsoll::postgres {
namespace {

struct JobOfTeam {
    TeamId team;
    JobId job;
    auto operator<=>(const JobOfTeam&) const = default;
};

// Batched job look-ups: polling a thousand jobs takes a few queries. Errc::not_found: also another
// team's job. The pool's role is plimsoll_app.
class JobLookups final : public Lookups<JobOfTeam, queue::Job> {
  public:
    using Lookups::Lookups;

  private:
    Batch question(const std::set<JobOfTeam>& jobs) const override;
    std::map<JobOfTeam, queue::Job> read(const std::set<JobOfTeam>& jobs,
                                         const Replies& replies) const override;
    Error missing() const override;
};

Batch JobLookups::question(const std::set<JobOfTeam>& jobs) const {
    std::map<TeamId, std::vector<std::int64_t>> of_teams;
    for (const auto& [team, job] : jobs) of_teams[team].push_back(job.value);
    Batch batch;
    for (const auto& [team, ids] : of_teams) {
        batch.push_back(in_team(team));
        batch.push_back(Statement::of(sql::jobs_get, ids));
    }
    return batch;
}

std::map<JobOfTeam, queue::Job> JobLookups::read(const std::set<JobOfTeam>& /*jobs*/,
                                                 const Replies& replies) const {
    std::map<JobOfTeam, queue::Job> found;
    for (std::size_t i = 1; i < replies.size(); i += 2) {
        for (const Row row : replies[i]) {
            auto job = to_job(row);
            const JobOfTeam key{job.team, job.id};
            found.emplace(key, std::move(job));
        }
    }
    return found;
}

Error JobLookups::missing() const { return no_such_job(); }

struct EventsAfter {
    JobOfTeam of;
    std::int64_t after;
    int limit;
    auto operator<=>(const EventsAfter&) const = default;
};

// All who follow a job ask for the same events at the same moment.
class EventLookups final : public Lookups<EventsAfter, std::vector<queue::JobEvent>> {
  public:
    using Lookups::Lookups;

  private:
    Batch question(const std::set<EventsAfter>& asked) const override {
        Batch batch;
        for (const auto& [of, after, limit] : asked) {
            batch.push_back(in_team(of.team));
            batch.push_back(Statement::of(sql::jobs_version, of.job));
            batch.push_back(Statement::of(sql::events_after, of.job, after, limit));
        }
        return batch;
    }

    std::map<EventsAfter, std::vector<queue::JobEvent>> read(
        const std::set<EventsAfter>& asked, const Replies& replies) const override {
        std::map<EventsAfter, std::vector<queue::JobEvent>> found;
        auto reply = replies.begin();
        for (const auto& one : asked) {
            if (!reply[1].empty())
                for (auto& events = found[one]; const Row row : reply[2])
                    events.push_back(to_event(row));
            reply += 3;
        }
        return found;
    }

    Error missing() const override { return no_such_job(); }
};

Statement log_query(TeamId team, JobId id, const queue::LogFilter& filter) {
    const auto min = filter.min ? std::optional(static_cast<int>(*filter.min)) : std::nullopt;
    return Statement::of(sql::jobs_log, team.value, id.value, filter.task, filter.attempt, min,
                         filter.from, filter.to, filter.after.task, filter.after.fence,
                         filter.after.number, filter.limit);
}

// From a row of jobs.log.
queue::JobLogLine to_log_line(const Row& row) {
    const auto text = [&row](const char* column) {
        return row.get<std::optional<std::string>>(column).value_or("");
    };
    queue::AttemptNews news{
        .what = row.get<std::string>("what"),
        .text = text("text"),
        .outcome = text("outcome"),
        .node = text("node"),
        .device = text("device"),
        .device_class = text("device_class"),
        .attempt = row.get<int>("attempt"),
        .seconds = row.get<std::optional<double>>("seconds"),
        .items_ok = row.get<std::optional<int>>("items_ok").value_or(0),
        .items_failed = row.get<std::optional<int>>("items_failed").value_or(0)};
    if (news.what == "ended") news.text = error_message(news.text);
    return {.place = {row.get<int>("task"), row.get<std::int64_t>("fence"), row.get<int>("n")},
            .merge = row.get<bool>("merge"),
            .attempt = news.attempt,
            .at = row.get<Timestamp>("at"),
            .level = static_cast<jobs::LogLevel>(row.get<int>("level")),
            .source = queue::source_of(news),
            .text = queue::text_of(news)};
}

// Jobs and schedules are numbers in the database, the rest has names.
std::string public_id(std::string_view sort, std::string id) {
    if (sort == "job") return to_public(JobId{std::stoll(id)});
    if (sort == "schedule") return to_public(schedules::ScheduleId{std::stoll(id)});
    return id;
}

class JobStore final : public queue::JobStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    JobStore(asio::any_io_executor executor, Pool& pool, outbound::ObjectStore* objects)
        : pool_(pool),
          objects_(objects),
          submits_(std::make_shared<GroupCommit>(executor, pool)),
          lookups_(std::make_shared<JobLookups>(executor, pool)),
          events_(std::make_shared<EventLookups>(std::move(executor), pool)) {}

    awaitable<Result<queue::Submitted>> submit(queue::NewJob job) override {
        return submits_->ask(std::move(job));
    }

    // The job is read after what it follows from was written: had a crash come before, it would be
    // missing.
    awaitable<Result<void>> keep(TeamId team, JobId id) override {
        CO_TRY_DO(co_await pool_.run(on_disk(), kCallTimeout));
        CO_TRY_DO(co_await get(team, id));
        co_return Result<void>{};
    }

    awaitable<Result<queue::Submitted>> submitted_before(TeamId team,
                                                         queue::IdempotencyKey key) override {
        // The job of the submit that is read may not be on disk yet.
        CO_TRY(auto replies, co_await run_in(pool_, kCallTimeout, in_team(team),
                                             Statement::of(sql::jobs_submitted_before, team,
                                                           key.key, Bytes{key.fingerprint}),
                                             on_disk()));
        const auto& rows = replies[1];
        if (rows.empty()) co_return fail(Errc::not_found, "This idempotency key was not used.");
        if (!rows[0].get<bool>("same"))
            co_return fail(Errc::conflict, "The idempotency key was used with another request.");
        co_return queue::Submitted{rows[0].get<JobId>("job_id"), true};
    }

    awaitable<Result<std::vector<Result<queue::Submitted>>>> submit_all(
        std::vector<queue::NewJob> jobs, bool whole) override {
        if (whole) co_return co_await store_whole(pool_, std::move(jobs));
        co_return co_await store_each(pool_, std::move(jobs));
    }

    awaitable<Result<queue::Job>> get(TeamId team, JobId id) override {
        return lookups_->ask({team, id});
    }

    awaitable<Result<queue::FoundJobs>> list(TeamId team, queue::JobFilter filter) override {
        CO_TRY(auto rows, co_await run_in(pool_, in_team(team), list_query(filter)));
        co_return to_found(rows);
    }

    awaitable<Result<queue::JobCounts>> count(TeamId team, queue::JobFilter filter) override {
        CO_TRY(auto rows, co_await run_in(pool_, in_team(team), count_query(filter)));
        co_return to_counts(rows);
    }

    awaitable<Result<std::vector<queue::Attempt>>> attempts(TeamId team, JobId id,
                                                            queue::AttemptPlace after,
                                                            int limit) override {
        co_return every(co_await about(team, id,
                                       Statement::of(sql::jobs_attempts, team, id, after.task,
                                                     after.fence, limit)),
                        to_attempt);
    }

    awaitable<Result<std::vector<queue::JobLogLine>>> log(TeamId team, JobId id,
                                                          queue::LogFilter filter) override {
        co_return every(co_await about(team, id, log_query(team, id, filter)), to_log_line);
    }

    awaitable<Result<queue::FoundTasks>> tasks(TeamId team, JobId id,
                                               queue::TaskFilter filter) override {
        const auto given = [](const std::string& text) {
            return text.empty() ? std::nullopt : std::optional(text);
        };
        CO_TRY(auto rows,
               co_await about(
                   team, id,
                   Statement::of(sql::jobs_tasks, team, id, filter.after, given(filter.state),
                                 given(filter.node), given(filter.device),
                                 filter.attempt == 0 ? std::nullopt : std::optional(filter.attempt),
                                 given(filter.error.empty() ? "" : within_json(filter.error)),
                                 queue::kTasksExamined, filter.limit)));
        co_return to_found_tasks(rows);
    }

    awaitable<Result<queue::Job>> cancel(TeamId team, UserId by, JobId id) override {
        CO_TRY(auto replies, co_await run_in(pool_, kCallTimeout, in_team(team),
                                             Statement::of(sql::jobs_cancel, team, id, by),
                                             Statement::of(sql::jobs_get, std::vector{id.value})));
        const auto outcome = replies[1][0].get<std::string>("outcome");
        if (outcome == "finished") co_return fail(Errc::conflict, "The job has already finished.");
        if (outcome == "not_found" || replies.back().empty()) co_return fail(no_such_job());
        co_return to_job(replies.back()[0]);
    }

    awaitable<Result<std::vector<queue::Redriven>>> redrive(TeamId team, UserId by,
                                                            std::vector<JobId> ids) override {
        std::vector<std::int64_t> jobs;
        for (const JobId id : ids) jobs.push_back(id.value);
        co_return every(
            co_await run_in(pool_, in_team(team), Statement::of(sql::jobs_redrive, team, jobs, by)),
            to_redriven);
    }

    awaitable<Result<std::optional<queue::Wait>>> wait(TeamId team, JobId id) override {
        CO_TRY(auto rows, co_await about(team, id, Statement::of(sql::jobs_wait, team, id)));
        if (rows.empty()) co_return std::nullopt;
        co_return to_wait(rows[0]);
    }

    awaitable<Result<void>> remove(TeamId team, UserId by, JobId id) override {
        CO_TRY(auto rows,
               co_await run_in(pool_, in_team(team),
                               Statement::of(sql::jobs_delete, team, std::vector{id.value}, by)));
        const auto outcome = rows[0].get<std::string>("outcome");
        if (outcome == "not_found") co_return fail(no_such_job());
        if (outcome == "unfinished")
            co_return fail(Errc::conflict, "The job has not finished yet: cancel it first.");
        co_return Result<void>{};
    }

    awaitable<Result<std::vector<JobId>>> remove_finished(TeamId team, UserId by,
                                                          std::vector<JobId> ids) override {
        std::vector<std::int64_t> jobs;
        for (const JobId id : ids) jobs.push_back(id.value);
        CO_TRY(auto rows, co_await run_in(pool_, in_team(team),
                                          Statement::of(sql::jobs_delete, team, jobs, by)));
        std::vector<JobId> unfinished;
        for (const Row row : rows)
            if (row.get<std::string_view>("outcome") == "unfinished")
                unfinished.push_back(row.get<JobId>("job_id"));
        co_return unfinished;
    }

    awaitable<Result<std::vector<queue::JobEvent>>> events(TeamId team, JobId id,
                                                           std::int64_t after, int limit) override {
        return events_->ask({{team, id}, after, limit});
    }

    awaitable<Result<std::string>> report(TeamId team, JobId id) override {
        CO_TRY(auto replies, co_await run_in(pool_, kCallTimeout, in_team(team),
                                             Statement::of(sql::jobs_version, id),
                                             Statement::of(sql::results_report, id)));
        if (replies[1].empty()) co_return fail(no_such_job());
        if (!replies[1][0].get<bool>("finished"))
            co_return fail(Errc::conflict, "The job has not finished yet, so it has no report.");
        if (replies.back().empty())
            co_return fail(Errc::not_found, "The job ended without a report.");
        co_return replies.back()[0].get<std::string>("content");
    }

    awaitable<Result<std::vector<queue::ChunkInfo>>> result_chunks(TeamId team, JobId id) override {
        co_return every(co_await about(team, id, Statement::of(sql::results_chunks, id)),
                        to_chunk_info);
    }

    awaitable<Result<std::string>> result_chunk(TeamId team, JobId id, int seq) override {
        auto held = first(co_await about(team, id, Statement::of(sql::results_chunk, id, seq)),
                          to_content, {Errc::not_found, "The result chunk was not found.", {}});
        co_return co_await fetch(objects_, result_folder(id, seq), std::move(held));
    }

    awaitable<Result<queue::Ended>> ended(TeamId team, JobId id) override {
        CO_TRY(auto rows,
               co_await run_in(pool_, in_team(team), Statement::of(sql::results_end, id)));
        if (rows.empty()) co_return fail(no_such_job());
        auto found = to_ended(id, rows);
        for (auto& task : found.tasks) {
            CO_TRY(task.content,
                   co_await fetch(objects_, result_folder(id, task.seq), std::move(task.content)));
        }
        co_return found;
    }

    awaitable<Result<queue::TaskInput>> task_input(TeamId team, JobId id, int seq) override {
        CO_TRY(auto rows, co_await about(team, id, Statement::of(sql::results_input, id, seq)));
        if (rows.empty()) co_return fail(Errc::not_found, "The task was not found.");
        const Row row = rows[0];
        auto input = row.get<std::optional<std::string>>("input");
        if (!input) co_return fail(Errc::not_found, "The task's input has been deleted.");
        CO_TRY(auto packed, co_await fetch(objects_, std::string(kAnyDataset), *std::move(input)));
        co_return queue::TaskInput{std::move(packed),
                                   {row.get<int>("slice"), row.get<int>("slices")}};
    }

    awaitable<Result<std::vector<queue::DeviceStatus>>> devices() override {
        co_return every(co_await pool_.run(Statement::of(sql::devices_list), kCallTimeout),
                        to_device);
    }

    awaitable<Result<queue::Uses>> uses(TeamId team, std::string sort, std::string name) override {
        const auto statement = std::ranges::find(sql::all, "uses." + sort, &Query::name);
        if (statement == std::end(sql::all)) throw std::logic_error("no statement uses." + sort);
        CO_TRY(auto rows, co_await run_in(pool_, in_team(team),
                                          Statement::of(*statement, team, std::move(name))));
        queue::Uses uses;
        for (const Row row : rows) {
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

    awaitable<Result<void>> ready() override {
        if (pool_.lacked_space()) co_return fail(Errc::unavailable, kDiskFull);
        CO_TRY(auto unsuitable,
               co_await pool_.run(Statement::of(sql::duties_unsuitable), kCallTimeout));
        for (const Row row : unsuitable)
            if (row.get<bool>("fatal"))
                co_return fail(Errc::unavailable, row.get<std::string>("what"));
        co_return Result<void>{};
    }

  private:
    // Runs a query about a job in one round trip with the team's scope and the job's state.
    // Errc::not_found: the job does not exist.
    awaitable<Result<Rows>> about(TeamId team, JobId id, Statement statement) {
        auto replies = co_await run_in(pool_, kCallTimeout, in_team(team),
                                       Statement::of(sql::jobs_version, id), std::move(statement));
        if (replies && (*replies)[1].empty()) co_return fail(no_such_job());
        co_return last(std::move(replies));
    }

    Pool& pool_;
    outbound::ObjectStore* objects_;
    std::shared_ptr<GroupCommit> submits_;
    std::shared_ptr<JobLookups> lookups_;
    std::shared_ptr<EventLookups> events_;
};

}  // namespace

std::unique_ptr<queue::JobStore> make_job_store(asio::any_io_executor executor, Pool& pool,
                                                outbound::ObjectStore* objects) {
    return std::make_unique<JobStore>(std::move(executor), pool, objects);
}

}  // namespace plimsoll::postgres
