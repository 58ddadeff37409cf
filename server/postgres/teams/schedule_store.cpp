#include "server/postgres/driver/statement.hpp"
#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"
#include "server/schedules/store.hpp"

#include <array>

namespace plimsoll::postgres {

using schedules::Answer;
using schedules::Answered;
using schedules::Claimed;
using schedules::Run;
using schedules::Schedule;
using schedules::ScheduleId;
using schedules::Settings;

namespace {

// Conversions between rows of queries/schedules.sql and the types of server/schedules.

constexpr std::array<std::string_view, 3> kWays = {"time", "waiting", "person"};
constexpr std::array<std::string_view, 4> kVerdicts = {"submit", "busy", "failed", "missed"};

schedules::Settings settings_of(const Row& row) {
    schedules::Settings settings;
    settings.spec = row.get<std::string>("spec");
    settings.cron = row.get<std::string>("cron");
    settings.time_zone = row.get<std::string>("time_zone");
    settings.misfire = schedules::parse_misfire(row.get<std::string_view>("misfire"));
    settings.misfire_limit = row.get<int>("misfire_limit");
    settings.overlap = schedules::parse_overlap(row.get<std::string_view>("overlap"));
    return settings;
}

schedules::Schedule to_schedule(const Row& row) {
    schedules::Schedule schedule;
    schedule.id = row.get<schedules::ScheduleId>("id");
    schedule.settings = settings_of(row);
    schedule.settings.name = row.get<std::string>("name");
    schedule.user = row.get<UserId>("user_id");
    schedule.user_name = row.get<Maybe<std::string>>("user_name").value_or("");
    schedule.paused_at = row.get<Maybe<Timestamp>>("paused_at");
    schedule.next_at = row.get<Maybe<Timestamp>>("next_at");
    schedule.version = row.get<int>("version");
    schedule.created_at = row.get<Timestamp>("created_at");
    schedule.updated_at = row.get<Timestamp>("updated_at");
    return schedule;
}

schedules::Run to_run(const Row& row) {
    schedules::Run run;
    run.due_at = row.get<Timestamp>("due_at");
    run.by_user = row.get<Maybe<UserId>>("by_user");
    run.by_user_name = row.get<Maybe<std::string>>("by_user_name").value_or("");
    run.outcome = row.get<std::string>("outcome");
    run.job = row.get<Maybe<JobId>>("job_id");
    run.job_state = row.get<Maybe<std::string>>("job_state").value_or("");
    run.reason = row.get<Maybe<std::string>>("reason").value_or("");
    run.missed = row.get<int>("missed");
    run.decided_at = row.get<Timestamp>("decided_at");
    return run;
}

schedules::Claimed to_claimed(const Row& row) {
    return {row.get<schedules::ScheduleId>("id"),
            row.get<int>("version"),
            row.get<TeamId>("team_id"),
            row.get<UserId>("user_id"),
            settings_of(row),
            row.get<Maybe<Timestamp>>("due_at"),
            row.get<Maybe<Timestamp>>("waiting_at"),
            row.get<bool>("busy"),
            row.get<Timestamp>("now")};
}

schedules::Answered to_answered(const Row& row) {
    schedules::Answered answered;
    answered.outcome = row.get<std::string>("outcome");
    answered.job = row.get<Maybe<JobId>>("job_id");
    answered.due_at = row.get<Timestamp>("due_at");
    return answered;
}

Statement answering(const Answer& answer) {
    static const schedules::Submission none;
    const auto& [job, dataset] = answer.submission ? *answer.submission : none;
    std::vector<std::int64_t> items;
    std::vector<double> seconds;
    std::vector<Bytes> inputs;
    for (const auto& task : job.plan.tasks) {
        items.push_back(task.items);
        seconds.push_back(task.estimated_seconds);
        inputs.push_back({task.input});
    }
    Maybe<DatasetId> dataset_id;
    if (dataset) dataset_id = dataset->id;
    Maybe<std::string> key;
    Maybe<Bytes> fingerprint;
    if (job.idempotency) {
        key = job.idempotency->key;
        fingerprint = Bytes{job.idempotency->fingerprint};
    }
    Maybe<double> timeout;
    if (job.timeout) timeout = job.timeout->count();
    const auto& requirement = job.plan.requirement;
    return Statement::of(
        sql::schedules_run, answer.schedule, answer.version,
        kWays.at(static_cast<std::size_t>(answer.way)), answer.expected, answer.due_at, answer.then,
        answer.missed, kVerdicts.at(static_cast<std::size_t>(answer.verdict)),
        unless_empty(answer.reason), answer.user, key, fingerprint, job.kind, job.kind_version,
        unless_empty(job.plan.args), unless_empty(job.name), to_json(job.labels), job.priority,
        requirement.device_class, requirement.capability,
        memory_bucket(requirement.memory_bucket_mib), requirement.model, timeout,
        unless_empty(job.unique_key), items, seconds, inputs, dataset_id,
        dataset ? dataset->seconds_per_record : 0.0, dataset ? dataset->seconds_per_byte : 0.0);
}

// A job with many tasks is stored in it.
constexpr std::chrono::seconds kAnswerTimeout{30};

Error no_such_schedule() { return {Errc::not_found, "The schedule was not found.", {}}; }

Statement getting(ScheduleId id) { return Statement::of(sql::schedules_get, id); }

Result<Schedule> only(Result<Replies> replies) {
    return first(last(std::move(replies)), to_schedule, no_such_schedule());
}

// Names identify a team's schedules.
Error name_taken(Error error) {
    if (error.code != Errc::conflict) return error;
    return {Errc::conflict, "The team has another schedule with this name.", "/name"};
}

class ScheduleStore final : public schedules::ScheduleStore {
  public:
    explicit ScheduleStore(Pool& pool) : pool_(pool) {}

    awaitable<Result<std::vector<Schedule>>> list(TeamId team) override {
        co_return every(co_await run_in(pool_, in_team(team), Statement::of(sql::schedules_list)),
                        to_schedule);
    }

    awaitable<Result<Schedule>> get(TeamId team, ScheduleId id) override {
        co_return only(co_await run_in(pool_, kAnswerTimeout, in_team(team), getting(id)));
    }

    awaitable<Result<Schedule>> create(Author author, Settings settings,
                                       std::optional<Timestamp> next_at) override {
        auto replies = co_await run_in(
            pool_, kAnswerTimeout, in_team(author.team),
            Statement::of(sql::schedules_create, author.team, author.user, settings.name,
                          settings.spec, settings.cron, settings.time_zone,
                          to_string(settings.misfire), settings.misfire_limit,
                          to_string(settings.overlap), next_at, author.request_id,
                          schedules::kSchedulesPerTeam));
        if (!replies) co_return fail(name_taken(std::move(replies.error())));
        if (replies->back().empty())
            co_return fail(team_limit_reached(schedules::kSchedulesPerTeam, "schedules"));
        co_return co_await get(author.team, replies->back()[0].get<ScheduleId>("id"));
    }

    awaitable<Result<Schedule>> replace(Author author, ScheduleId id, Settings settings,
                                        std::optional<Timestamp> next_at,
                                        std::optional<int> version) override {
        auto replies = co_await run_in(
            pool_, kAnswerTimeout, in_team(author.team),
            Statement::of(sql::schedules_replace, author.team, author.user, settings.name,
                          settings.spec, settings.cron, settings.time_zone,
                          to_string(settings.misfire), settings.misfire_limit,
                          to_string(settings.overlap), next_at, author.request_id, id, version),
            getting(id));
        if (!replies) co_return fail(name_taken(std::move(replies.error())));
        const bool replaced = !(*replies)[1].empty();
        auto schedule = only(std::move(replies));
        if (schedule && !replaced) co_return fail(changed_meanwhile());
        co_return schedule;
    }

    awaitable<Result<Schedule>> pause(Author author, ScheduleId id) override {
        co_return only(co_await run_in(
            pool_, kAnswerTimeout, in_team(author.team),
            Statement::of(sql::schedules_pause, author.team, author.user, author.request_id, id),
            getting(id)));
    }

    awaitable<Result<Schedule>> resume(Author author, ScheduleId id,
                                       std::optional<Timestamp> next_at) override {
        co_return only(co_await run_in(pool_, kAnswerTimeout, in_team(author.team),
                                       Statement::of(sql::schedules_resume, author.team,
                                                     author.user, author.request_id, id, next_at),
                                       getting(id)));
    }

    awaitable<Result<void>> remove(Author author, ScheduleId id) override {
        co_return found(co_await run_in(pool_, in_team(author.team),
                                        Statement::of(sql::schedules_delete, author.team,
                                                      author.user, author.request_id, id)),
                        no_such_schedule());
    }

    awaitable<Result<std::vector<Run>>> runs(TeamId team, ScheduleId id,
                                             std::optional<Timestamp> before, int limit) override {
        auto replies = co_await run_in(pool_, kAnswerTimeout, in_team(team), getting(id),
                                       Statement::of(sql::schedules_runs, id, before, limit));
        if (replies && (*replies)[1].empty()) co_return fail(no_such_schedule());
        co_return every(last(std::move(replies)), to_run);
    }

    awaitable<Result<Answered>> run_now(Author author, Answer answer) override {
        const auto* const job = answer.submission ? &answer.submission->job : nullptr;
        auto traces = job != nullptr ? traces_of({&job, 1}) : Traces();
        CO_TRY(
            auto replies,
            co_await run_in(pool_, kAnswerTimeout, in_team(author.team, traces), answering(answer),
                            Statement::of(sql::schedules_told_run, author.team, author.user,
                                          author.request_id, answer.schedule)));
        co_return to_answered(replies[1][0]);
    }

  private:
    Pool& pool_;
};

class DueTimes final : public schedules::DueTimes {
  public:
    explicit DueTimes(Pool& pool) : pool_(pool) {}

    awaitable<Result<std::vector<Claimed>>> claim(int limit, std::chrono::seconds lease) override {
        co_return every(co_await pool_.run(Statement::of(sql::schedules_claim, limit,
                                                         static_cast<double>(lease.count())),
                                           kCallTimeout),
                        to_claimed);
    }

    awaitable<Result<Answered>> answer(Answer answer) override {
        co_return first(co_await pool_.run(answering(answer), kAnswerTimeout), to_answered);
    }

    awaitable<Result<int>> cancel_overlapped() override {
        co_return first(
            co_await pool_.run(Statement::of(sql::schedules_cancel_overlapped), kAnswerTimeout),
            to_done);
    }

  private:
    Pool& pool_;
};

}  // namespace

std::unique_ptr<schedules::DueTimes> make_due_times(Pool& pool) {
    return std::make_unique<DueTimes>(pool);
}

std::unique_ptr<schedules::ScheduleStore> make_schedule_store(Pool& pool) {
    return std::make_unique<ScheduleStore>(pool);
}

}  // namespace plimsoll::postgres
