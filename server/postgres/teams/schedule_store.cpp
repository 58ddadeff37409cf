#include "server/postgres/teams/schedule_store.hpp"

#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/teams/schedule_rows.hpp"

namespace plimsoll::postgres {

using schedules::Answer;
using schedules::Answered;
using schedules::awaitable;
using schedules::Claimed;
using schedules::Run;
using schedules::Schedule;
using schedules::ScheduleId;
using schedules::Settings;

namespace {

// A job with many tasks is stored in it.
constexpr std::chrono::seconds kAnswerTimeout{30};

Error no_such_schedule() {
    return {Errc::not_found, "The schedule was not found.", {}};
}

template <class... Statements>
awaitable<Result<Replies>> run(Pool& pool, TeamId team, Statements... statements) {
    Batch batch;
    batch.push_back(in_team(team));
    (batch.push_back(std::move(statements)), ...);
    co_return co_await pool.run(std::move(batch), kAnswerTimeout);
}

Statement getting(ScheduleId id) {
    return Statement::of(sql::schedules_get, id.value);
}

Result<Schedule> only(Result<Replies> replies) {
    if (!replies) return fail(std::move(replies.error()));
    if (replies->back().empty()) return fail(no_such_schedule());
    return to_schedule(replies->back()[0]);
}

// Names identify a team's schedules.
Error name_taken(Error error) {
    if (error.code != Errc::conflict) return error;
    return {Errc::conflict, "The team has another schedule with this name.", "/name"};
}

}  // namespace

awaitable<Result<std::vector<Schedule>>> ScheduleStore::list(TeamId team) {
    auto replies = co_await run(pool_, team, Statement::of(sql::schedules_list));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<Schedule> found;
    for (const Row row : replies->back()) found.push_back(to_schedule(row));
    co_return found;
}

awaitable<Result<Schedule>> ScheduleStore::get(TeamId team, ScheduleId id) {
    co_return only(co_await run(pool_, team, getting(id)));
}

awaitable<Result<Schedule>> ScheduleStore::create(Author author, Settings settings,
                                                  std::optional<Timestamp> next_at) {
    auto replies = co_await run(
        pool_, author.team,
        Statement::of(sql::schedules_create, author.team.value, author.user.value, settings.name,
                      settings.spec, settings.cron, settings.time_zone, to_string(settings.misfire),
                      settings.misfire_limit, to_string(settings.overlap), next_at,
                      author.request_id, schedules::kSchedulesPerTeam));
    if (!replies) co_return fail(name_taken(std::move(replies.error())));
    if (replies->back().empty()) {
        co_return fail(Errc::conflict, "The team has " +
                                           std::to_string(schedules::kSchedulesPerTeam) +
                                           " schedules, the maximum. Delete one first.");
    }
    co_return co_await get(author.team, ScheduleId{replies->back()[0].get<std::int64_t>("id")});
}

awaitable<Result<Schedule>> ScheduleStore::replace(Author author, ScheduleId id, Settings settings,
                                                   std::optional<Timestamp> next_at,
                                                   std::optional<int> version) {
    auto replies = co_await run(
        pool_, author.team,
        Statement::of(sql::schedules_replace, author.team.value, author.user.value, settings.name,
                      settings.spec, settings.cron, settings.time_zone, to_string(settings.misfire),
                      settings.misfire_limit, to_string(settings.overlap), next_at,
                      author.request_id, id.value, version),
        getting(id));
    if (!replies) co_return fail(name_taken(std::move(replies.error())));
    const bool replaced = !(*replies)[1].empty();
    auto schedule = only(std::move(replies));
    if (schedule && !replaced) {
        co_return fail(changed_meanwhile());
    }
    co_return schedule;
}

awaitable<Result<Schedule>> ScheduleStore::pause(Author author, ScheduleId id) {
    co_return only(co_await run(pool_, author.team,
                                Statement::of(sql::schedules_pause, author.team.value,
                                              author.user.value, author.request_id, id.value),
                                getting(id)));
}

awaitable<Result<Schedule>> ScheduleStore::resume(Author author, ScheduleId id,
                                                  std::optional<Timestamp> next_at) {
    co_return only(
        co_await run(pool_, author.team,
                     Statement::of(sql::schedules_resume, author.team.value, author.user.value,
                                   author.request_id, id.value, next_at),
                     getting(id)));
}

awaitable<Result<void>> ScheduleStore::remove(Author author, ScheduleId id) {
    auto replies = co_await run(pool_, author.team,
                                Statement::of(sql::schedules_delete, author.team.value,
                                              author.user.value, author.request_id, id.value));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(no_such_schedule());
    co_return Result<void>{};
}

awaitable<Result<std::vector<Run>>> ScheduleStore::runs(TeamId team, ScheduleId id,
                                                        std::optional<Timestamp> before,
                                                        int limit) {
    auto replies = co_await run(pool_, team, getting(id),
                                Statement::of(sql::schedules_runs, id.value, before, limit));
    if (!replies) co_return fail(std::move(replies.error()));
    if ((*replies)[1].empty()) co_return fail(no_such_schedule());
    std::vector<Run> found;
    for (const Row row : replies->back()) found.push_back(to_run(row));
    co_return found;
}

awaitable<Result<Answered>> ScheduleStore::run_now(Author author, Answer answer) {
    const auto id = answer.schedule.value;
    auto replies = co_await run(pool_, author.team, answering(answer),
                                Statement::of(sql::schedules_told_run, author.team.value,
                                              author.user.value, author.request_id, id));
    if (!replies) co_return fail(std::move(replies.error()));
    co_return to_answered((*replies)[1][0]);
}

awaitable<Result<std::vector<Claimed>>> DueTimes::claim(int limit, std::chrono::seconds lease) {
    auto rows = co_await pool_.run(
        Statement::of(sql::schedules_claim, limit, static_cast<double>(lease.count())),
        kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    std::vector<Claimed> found;
    for (const Row row : *rows) found.push_back(to_claimed(row));
    co_return found;
}

awaitable<Result<Answered>> DueTimes::answer(Answer answer) {
    auto rows = co_await pool_.run(answering(answer), kAnswerTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    co_return to_answered((*rows)[0]);
}

awaitable<Result<int>> DueTimes::cancel_overlapped() {
    auto rows = co_await pool_.run(Statement::of(sql::schedules_cancel_overlapped), kAnswerTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    co_return (*rows)[0].get<int>("done");
}

}  // namespace plimsoll::postgres
