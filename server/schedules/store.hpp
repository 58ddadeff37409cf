#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/planning/planner.hpp"
#include "server/schedules/schedule.hpp"

#include <chrono>
#include <vector>

// Stores schedules and their runs. Implemented by server/postgres. Another team's schedule is
// Errc::not_found, like a missing one.
namespace plimsoll::schedules {

constexpr int kSchedulesPerTeam = 200;

// The job that a run submits, and its dataset, if any.
struct Submission {
    queue::NewJob job;
    std::optional<planning::OnDataset> dataset;
};

// The outcome of a due time; the Step says which due times it covers.
struct Answer {
    ScheduleId schedule;
    int version = 1;  // as the caller last saw it
    enum class Way { time, waiting, person } way = Way::time;
    std::optional<Timestamp> expected;  // for Way::time: the next_at that the caller saw
    std::optional<Timestamp> due_at;    // none: now
    std::optional<Timestamp> then;      // for Way::time: the due time after it
    int missed = 0;
    enum class Verdict { submit, busy, failed, missed } verdict = Verdict::submit;
    std::string reason;                    // why nothing is submitted
    std::optional<UserId> user;            // for Way::person
    std::optional<Submission> submission;  // for Verdict::submit
};

struct Answered {
    std::string outcome;  // of a Run, or replayed, key_conflict, changed: see migrations/README.md
    std::optional<JobId> job;
    Timestamp due_at;
};

// A due time or a waiting run, claimed by this server.
struct Claimed {
    ScheduleId id;
    int version = 1;
    TeamId team;
    UserId user;
    Settings settings;
    std::optional<Timestamp> due_at;      // the first open one
    std::optional<Timestamp> waiting_at;  // of a run that waited for an earlier job
    bool busy = false;                    // a job of it has not ended
    Timestamp now;                        // by the database's clock
};

// For the API.
class ScheduleStore {
  public:
    virtual ~ScheduleStore() = default;

    virtual awaitable<Result<std::vector<Schedule>>> list(TeamId team) = 0;
    virtual awaitable<Result<Schedule>> get(TeamId team, ScheduleId id) = 0;
    // Errc::conflict: the name is taken (at "/name"), or the team has kSchedulesPerTeam.
    virtual awaitable<Result<Schedule>> create(Author author, Settings settings,
                                               std::optional<Timestamp> next_at) = 0;
    // With `version`, only if it is the current one; changed_meanwhile() otherwise. A paused
    // schedule stays paused.
    virtual awaitable<Result<Schedule>> replace(Author author, ScheduleId id, Settings settings,
                                                std::optional<Timestamp> next_at,
                                                std::optional<int> version) = 0;
    virtual awaitable<Result<Schedule>> pause(Author author, ScheduleId id) = 0;
    // `next_at` takes effect only if it was paused.
    virtual awaitable<Result<Schedule>> resume(Author author, ScheduleId id,
                                               std::optional<Timestamp> next_at) = 0;
    // Its jobs are kept.
    virtual awaitable<Result<void>> remove(Author author, ScheduleId id) = 0;
    // Newest first; with `before`, only those due earlier.
    virtual awaitable<Result<std::vector<Run>>> runs(TeamId team, ScheduleId id,
                                                     std::optional<Timestamp> before,
                                                     int limit) = 0;
    // Records the outcome of a Way::person and its audit row.
    virtual awaitable<Result<Answered>> run_now(Author author, Answer answer) = 0;
};

// For the runner. Any number of servers may use it: each due time is handled once.
class DueTimes {
  public:
    virtual ~DueTimes() = default;

    // Due times of all teams. Those not handled within `lease` are handed out again.
    virtual awaitable<Result<std::vector<Claimed>>> claim(int limit,
                                                          std::chrono::seconds lease) = 0;
    virtual awaitable<Result<Answered>> answer(Answer answer) = 0;
    // Cancels jobs that later runs replaced; returns how many.
    virtual awaitable<Result<int>> cancel_overlapped() = 0;
};

}  // namespace plimsoll::schedules
