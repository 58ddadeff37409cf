#pragma once

#include "server/queue/job.hpp"
#include "server/queue/shares.hpp"
#include "server/queue/wait.hpp"

#include <chrono>

#include <boost/asio/awaitable.hpp>

// What the API needs of the queue. Implemented by server/postgres; tests have a fake in memory.
// A thing of another team answers exactly like a missing one: Errc::not_found. Every call ends
// within its own deadline: Errc::unavailable or Errc::timeout when the database does not answer.
namespace plimsoll::queue {

using boost::asio::awaitable;

struct Submitted {
    JobId id;
    bool replayed = false;  // the idempotency key was seen before with the same body
    // Nothing was stored: `id` is the job that has the unique key and has not ended.
    bool taken = false;
    // Nothing was stored either: the team has used up what it may.
    std::optional<OverQuota> over_quota = {};
    // The job as this call made it, where the store need not look it up; without its submitter's
    // name.
    std::optional<Job> made = {};
};

class JobStore {
  public:
    virtual ~JobStore() = default;

    // Durable when it returns. Errc::conflict: the key was used with another body.
    virtual awaitable<Result<Submitted>> submit(NewJob job) = 0;
    // What a submit with this key answered. Errc::not_found: there was none, or it is forgotten;
    // Errc::conflict: it had another body.
    virtual awaitable<Result<Submitted>> submitted_before(TeamId team, IdempotencyKey key) = 0;
    // As submit for each job, at most 10,000 of them. `whole`: all or none; then, when some cannot
    // be stored, nothing is, and the answers of the others are Errc::cancelled. One answer a job,
    // in order.
    virtual awaitable<Result<std::vector<Result<Submitted>>>> submit_all(std::vector<NewJob> jobs,
                                                                         bool whole) = 0;
    virtual awaitable<Result<Job>> get(TeamId team, JobId id) = 0;
    virtual awaitable<Result<std::vector<Job>>> list(TeamId team, JobFilter filter) = 0;
    // Returns the job as it stands after the request; cancelling a final job is Errc::conflict.
    virtual awaitable<Result<Job>> cancel(TeamId team, UserId by, JobId id) = 0;
    // Runs again what ended jobs did not get done, as the same jobs; at most 100. One answer a job.
    virtual awaitable<Result<std::vector<Redriven>>> redrive(TeamId team, UserId by,
                                                             std::vector<JobId> ids) = 0;
    // Why the job does not run just now; nothing when it has ended.
    virtual awaitable<Result<std::optional<Wait>>> wait(TeamId team, JobId id) = 0;
    // Removes a final job with its texts and results; Errc::conflict while it is not final.
    virtual awaitable<Result<void>> remove(TeamId team, UserId by, JobId id) = 0;
    // Events with a number above `after`, oldest first.
    virtual awaitable<Result<std::vector<JobEvent>>> events(TeamId team, JobId id,
                                                            std::int64_t after, int limit) = 0;
    // Errc::conflict while the job is not final; Errc::not_found when it failed without one.
    virtual awaitable<Result<std::string>> report(TeamId team, JobId id) = 0;
    virtual awaitable<Result<std::vector<ChunkInfo>>> result_chunks(TeamId team, JobId id) = 0;
    virtual awaitable<Result<std::string>> result_chunk(TeamId team, JobId id, int seq) = 0;
    // What the task was given, in its kind's own encoding. Errc::not_found also when it stood in a
    // dataset that has been deleted.
    virtual awaitable<Result<std::string>> task_input(TeamId team, JobId id, int seq) = 0;
    virtual awaitable<Result<std::vector<DeviceStatus>>> devices() = 0;
    // Answers when the database does and its schema is the one this program knows.
    virtual awaitable<Result<void>> ready() = 0;
};

// Wakes whoever waits for a job: a notification of the database, or the poll behind it.
class JobSignals {
  public:
    virtual ~JobSignals() = default;
    // Returns when the job changed since the last call's return, or at the deadline; may return
    // early for no reason, so callers look at the job and wait again.
    virtual awaitable<void> changed(JobId id, std::chrono::steady_clock::time_point deadline) = 0;
};

}  // namespace plimsoll::queue
