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

Statement getting(ScheduleId id) {
    return Statement::of(sql::schedules_get, id);
}

Result<Schedule> only(Result<Replies> replies) {
    return first(last(std::move(replies)), to_schedule, no_such_schedule());
}

// Names identify a team's schedules.
Error name_taken(Error error) {
    if (error.code != Errc::conflict) return error;
    return {Errc::conflict, "The team has another schedule with this name.", "/name"};
}

}  // namespace

awaitable<Result<std::vector<Schedule>>> ScheduleStore::list(TeamId team) {
    co_return every(co_await run_in(pool_, in_team(team), Statement::of(sql::schedules_list)),
                    to_schedule);
}

awaitable<Result<Schedule>> ScheduleStore::get(TeamId team, ScheduleId id) {
    co_return only(co_await run_in(pool_, kAnswerTimeout, in_team(team), getting(id)));
}

awaitable<Result<Schedule>> ScheduleStore::create(Author author, Settings settings,
                                                  std::optional<Timestamp> next_at) {
    auto replies = co_await run_in(
        pool_, kAnswerTimeout, in_team(author.team),
        Statement::of(sql::schedules_create, author.team, author.user, settings.name, settings.spec,
                      settings.cron, settings.time_zone, to_string(settings.misfire),
                      settings.misfire_limit, to_string(settings.overlap), next_at,
                      author.request_id, schedules::kSchedulesPerTeam));
    if (!replies) co_return fail(name_taken(std::move(replies.error())));
    if (replies->back().empty()) {
        co_return fail(team_has_most(schedules::kSchedulesPerTeam, "schedules"));
    }
    co_return co_await get(author.team, replies->back()[0].get<ScheduleId>("id"));
}

awaitable<Result<Schedule>> ScheduleStore::replace(Author author, ScheduleId id, Settings settings,
                                                   std::optional<Timestamp> next_at,
                                                   std::optional<int> version) {
    auto replies = co_await run_in(
        pool_, kAnswerTimeout, in_team(author.team),
        Statement::of(sql::schedules_replace, author.team, author.user, settings.name,
                      settings.spec, settings.cron, settings.time_zone, to_string(settings.misfire),
                      settings.misfire_limit, to_string(settings.overlap), next_at,
                      author.request_id, id, version),
        getting(id));
    if (!replies) co_return fail(name_taken(std::move(replies.error())));
    const bool replaced = !(*replies)[1].empty();
    auto schedule = only(std::move(replies));
    if (schedule && !replaced) co_return fail(changed_meanwhile());
    co_return schedule;
}

awaitable<Result<Schedule>> ScheduleStore::pause(Author author, ScheduleId id) {
    co_return only(co_await run_in(
        pool_, kAnswerTimeout, in_team(author.team),
        Statement::of(sql::schedules_pause, author.team, author.user, author.request_id, id),
        getting(id)));
}

awaitable<Result<Schedule>> ScheduleStore::resume(Author author, ScheduleId id,
                                                  std::optional<Timestamp> next_at) {
    co_return only(co_await run_in(pool_, kAnswerTimeout, in_team(author.team),
                                   Statement::of(sql::schedules_resume, author.team, author.user,
                                                 author.request_id, id, next_at),
                                   getting(id)));
}

awaitable<Result<void>> ScheduleStore::remove(Author author, ScheduleId id) {
    co_return found(co_await run_in(pool_, in_team(author.team),
                                    Statement::of(sql::schedules_delete, author.team, author.user,
                                                  author.request_id, id)),
                    no_such_schedule());
}

awaitable<Result<std::vector<Run>>> ScheduleStore::runs(TeamId team, ScheduleId id,
                                                        std::optional<Timestamp> before,
                                                        int limit) {
    auto replies = co_await run_in(pool_, kAnswerTimeout, in_team(team), getting(id),
                                   Statement::of(sql::schedules_runs, id, before, limit));
    if (replies && (*replies)[1].empty()) co_return fail(no_such_schedule());
    co_return every(last(std::move(replies)), to_run);
}

awaitable<Result<Answered>> ScheduleStore::run_now(Author author, Answer answer) {
    auto replies = co_await run_in(pool_, kAnswerTimeout, in_team(author.team), answering(answer),
                                   Statement::of(sql::schedules_told_run, author.team, author.user,
                                                 author.request_id, answer.schedule));
    if (!replies) co_return fail(std::move(replies.error()));
    co_return to_answered((*replies)[1][0]);
}

awaitable<Result<std::vector<Claimed>>> DueTimes::claim(int limit, std::chrono::seconds lease) {
    co_return every(co_await pool_.run(Statement::of(sql::schedules_claim, limit,
                                                     static_cast<double>(lease.count())),
                                       kCallTimeout),
                    to_claimed);
}

awaitable<Result<Answered>> DueTimes::answer(Answer answer) {
    co_return first(co_await pool_.run(answering(answer), kAnswerTimeout), to_answered);
}

awaitable<Result<int>> DueTimes::cancel_overlapped() {
    co_return first(
        co_await pool_.run(Statement::of(sql::schedules_cancel_overlapped), kAnswerTimeout),
        to_done);
}

}  // namespace plimsoll::postgres
