#pragma once

#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"
#include "server/jobs/records/slice.hpp"
#include "server/queue/job.hpp"
#include "server/queue/job_log.hpp"
#include "server/queue/shares.hpp"
#include "server/queue/wait.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// The queue as the API sees it. Implemented by server/postgres.
// Another team's object is Errc::not_found, exactly like a missing one. Every call has its own
// deadline: Errc::unavailable or Errc::timeout if the database does not respond.

// Usage as charged. Counted a few seconds after a task ends, and kept longer than the jobs.

namespace plimsoll::queue {

// The uses of a thing, of one sort.
struct Users {
    struct User {
        std::string id;
        std::string name;  // empty: it has none
    };
    std::int64_t own = 0;        // of the team that asks
    std::vector<User> first;     // of them, at most 20
    std::int64_t elsewhere = 0;  // of other teams
};

// What depends on a thing of a kind, by sort: job (unfinished ones), schedule, and the kind's own
// collections.
using Uses = std::map<std::string, Users>;

struct Submitted {
    JobId id;
    bool replayed = false;  // the idempotency key was seen before with the same body
    // Nothing was stored: `id` is the unfinished job that holds the unique key.
    bool taken = false;
    // Nothing was stored: the team is over its quota.
    std::optional<OverQuota> over_quota = {};
    // The job as this call created it, if the store has it without a look-up; without its
    // submitter's name.
    std::optional<Job> made = {};
};

struct EndedTask {
    int seq = 0;
    std::string error;    // why it was quarantined: it has no results
    std::string content;  // a gzip member of JSON lines
};

struct Ended {
    JobId id;
    JobState state = JobState::queued;
    std::string error;             // why the job failed
    std::vector<EndedTask> tasks;  // in no order; none before the job has ended
};

// The input of a task: in its kind's own encoding, or a chunk of its job's dataset and the slice
// that it runs on.
struct TaskInput {
    std::string packed;
    jobs::Slice slice{};
};

class JobStore {
  public:
    virtual ~JobStore() = default;

    // Durable on return, unless the job is at_once. Errc::conflict: the idempotency key was used
    // with another body.
    virtual awaitable<Result<Submitted>> submit(NewJob job) = 0;
    // Makes what the caller knows of the job durable. Errc::not_found: a crash has forgotten it.
    virtual awaitable<Result<void>> keep(TeamId team, JobId id) = 0;
    // The result of an earlier submit with this key. Errc::not_found: none, or it expired;
    // Errc::conflict: it had another body.
    virtual awaitable<Result<Submitted>> submitted_before(TeamId team, IdempotencyKey key) = 0;
    // Submits up to 10,000 jobs and returns one result per job, in order. `whole`: all or none; if
    // any job cannot be stored, none is, and the others get Errc::cancelled.
    virtual awaitable<Result<std::vector<Result<Submitted>>>> submit_all(std::vector<NewJob> jobs,
                                                                         bool whole) = 0;
    virtual awaitable<Result<Job>> get(TeamId team, JobId id) = 0;
    virtual awaitable<Result<FoundJobs>> list(TeamId team, JobFilter filter) = 0;
    // By state; the filter's own state, cursor and limit are ignored.
    virtual awaitable<Result<JobCounts>> count(TeamId team, JobFilter filter) = 0;
    // Attempts at the job's tasks after `after`, by task and attempt.
    virtual awaitable<Result<std::vector<Attempt>>> attempts(TeamId team, JobId id,
                                                             AttemptPlace after, int limit) = 0;
    // What the queue, workers and supervisors say about the attempts, by task and attempt.
    virtual awaitable<Result<std::vector<JobLogLine>>> log(TeamId team, JobId id,
                                                           LogFilter filter) = 0;
    virtual awaitable<Result<FoundTasks>> tasks(TeamId team, JobId id, TaskFilter filter) = 0;
    // Returns the job after the request. Errc::conflict: the job has ended.
    virtual awaitable<Result<Job>> cancel(TeamId team, UserId by, JobId id) = 0;
    // Redrives ended jobs: runs their unfinished tasks again. At most 100; one result per job.
    virtual awaitable<Result<std::vector<Redriven>>> redrive(TeamId team, UserId by,
                                                             std::vector<JobId> ids) = 0;
    // Why the job is not running now; nullopt if it has ended.
    virtual awaitable<Result<std::optional<Wait>>> wait(TeamId team, JobId id) = 0;
    // Removes a final job with its texts and results; Errc::conflict while it is not final.
    virtual awaitable<Result<void>> remove(TeamId team, UserId by, JobId id) = 0;
    // The same for many in one transaction; returns those that are not final, and are still there.
    virtual awaitable<Result<std::vector<JobId>>> remove_finished(TeamId team, UserId by,
                                                                  std::vector<JobId> ids) = 0;
    // Events with a number above `after`, oldest first.
    virtual awaitable<Result<std::vector<JobEvent>>> events(TeamId team, JobId id,
                                                            std::int64_t after, int limit) = 0;
    // Errc::conflict while the job is not final; Errc::not_found when it failed without one.
    virtual awaitable<Result<std::string>> report(TeamId team, JobId id) = 0;
    virtual awaitable<Result<std::vector<ChunkInfo>>> result_chunks(TeamId team, JobId id) = 0;
    virtual awaitable<Result<std::string>> result_chunk(TeamId team, JobId id, int seq) = 0;
    // A job and its tasks with their results: for small jobs.
    virtual awaitable<Result<Ended>> ended(TeamId team, JobId id) = 0;
    // Errc::not_found also if the task's dataset has been deleted.
    virtual awaitable<Result<TaskInput>> task_input(TeamId team, JobId id, int seq) = 0;
    virtual awaitable<Result<std::vector<DeviceStatus>>> devices() = 0;
    // What needs or names a thing of a kind: the team's own, and the number of other teams'. The
    // kind has the statement "uses.<sort>" in its folder, for example for sort "model".
    virtual awaitable<Result<Uses>> uses(TeamId team, std::string sort, std::string name) = 0;
    // Succeeds if the database responds and has the schema that this program needs.
    virtual awaitable<Result<void>> ready() = 0;
};

// Wakes callers waiting for a job, by database notification with a poll as fallback.
class JobSignals {
  public:
    virtual ~JobSignals() = default;
    // Returns when the job changed since the previous call returned, or at the deadline. Spurious
    // returns are possible: callers must read the job and wait again.
    virtual awaitable<void> changed(JobId id, std::chrono::steady_clock::time_point deadline) = 0;
    // The same for callers that need milliseconds: returns immediately if the job changed after
    // `since`, the recent time at which they last began to read it.
    virtual awaitable<void> changed_since(JobId id, std::chrono::steady_clock::time_point since,
                                          std::chrono::steady_clock::time_point deadline) = 0;
};

struct UsageQuery {
    std::optional<TeamId> team;  // none: all
    Timestamp from;              // hours that begin then or later,
    Timestamp to;                // and before then
    // hour, day or month (at most one of them), team, user, kind, model; summed over all others.
    std::vector<std::string> by;
    int limit = 0;  // rows
};

// Members that were not grouped by are empty.
struct Usage {
    std::optional<Timestamp> start;  // of the hour, day or month, in UTC
    std::optional<TeamId> team;
    std::string team_name;
    std::optional<UserId> user;
    std::string user_name;  // also empty if the user no longer exists
    std::string kind;
    std::string model;  // as Requirement::model names it; also empty for jobs that need none
    double device_seconds =
        0;  // measured, normalized to a device of speed 1; including failed attempts
    std::int64_t tasks = 0;  // done
    std::int64_t items = 0;  // done
    std::int64_t jobs = 0;   // that used a device for the first time
};

}  // namespace plimsoll::queue
