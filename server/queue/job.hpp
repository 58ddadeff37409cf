#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"
#include "server/base/tracing.hpp"
#include "server/jobs/kind.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::queue {

enum class JobState { scheduled, queued, running, cancelling, succeeded, failed, cancelled };

std::string_view to_string(JobState state);
std::optional<JobState> parse_job_state(std::string_view text);
inline bool is_final(JobState state) { return state >= JobState::succeeded; }

using Seconds = std::chrono::duration<double>;
using Labels = std::map<std::string, std::string>;

struct IdempotencyKey {
    std::string key;          // 1..255 visible characters, unique per team
    std::string fingerprint;  // SHA-256 of the request body, 32 bytes
};

struct NewJob {
    TeamId team;
    UserId submitter;
    std::string kind;
    int kind_version = 1;
    std::string name;
    Labels labels;
    int priority = 0;  // -10..10, higher first within a team
    std::optional<IdempotencyKey> idempotency;
    std::optional<Timestamp> run_at;    // not before; none: immediately
    std::optional<Timestamp> deadline;  // fails if it has not ended by then
    std::optional<Seconds> timeout;     // fails if it runs longer, from its start
    std::string unique_key;  // held by one unfinished job of the team at a time; empty: none
    jobs::Plan plan;
    tracing::Context trace;  // of the request that asks for it
    // Its caller waits for its results and promises nothing before: a crash of the database may
    // forget it until JobStore::keep.
    bool at_once = false;
};

// The schedule that created a job, and the due time.
struct MadeBySchedule {
    std::int64_t schedule = 0;  // server/schedules' id
    std::string name;           // empty: it has been deleted
    Timestamp due_at;

    bool operator==(const MadeBySchedule&) const = default;
};

struct Job {
    JobId id;
    TeamId team;
    UserId submitter;
    std::string submitter_name;
    std::string kind;
    int kind_version = 1;
    std::string name;
    Labels labels;
    int priority = 0;
    JobState state = JobState::queued;
    std::string device_class;  // empty right after a submit that left the choice to the queue
    std::string args = "{}";   // JSON text, see jobs::Plan::args
    std::int64_t items_total = 0;
    std::int64_t items_done = 0;  // including failed ones
    std::int64_t items_failed = 0;
    std::int64_t tokens_done = 0;  // that models have read, while it ran
    int tasks_total = 0;
    int tasks_done = 0;
    int tasks_failed = 0;    // quarantined; their items count as failed
    int retries = 0;         // retried attempts of its tasks
    std::string last_error;  // error of the last failed attempt; empty: none
    std::string error;       // why it failed; empty otherwise
    std::string unique_key;  // empty: none
    Timestamp created_at;
    std::optional<Timestamp> run_at;
    std::optional<Timestamp> deadline;
    std::optional<Seconds> timeout;
    std::optional<MadeBySchedule> schedule;
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> finished_at;
    std::int64_t version = 0;  // grows with every stored change; the ETag

    bool operator==(const Job&) const = default;
};

// The job right after it was stored.
Job stored(NewJob job, JobId id, Timestamp created_at);

// A stored event of a job, numbered from 1 without gaps.
struct JobEvent {
    std::int64_t number = 0;
    std::string type;  // submitted, started, progress, retried, quarantined, cancelling, finished …
    std::string data;  // JSON text
    Timestamp at;
};

// Outcome of a redrive request.
enum class Redrive {
    redriven,
    unfinished,  // it has not ended
    complete,    // all its tasks are done
    no_dataset,  // its dataset has been deleted
    not_unique,  // another job has its unique key
    not_found
};

struct Redriven {
    JobId id;
    Redrive outcome = Redrive::not_found;
};

struct ChunkInfo {
    int seq = 0;  // input order
    std::int64_t first_item = 0;
    std::int64_t items = 0;
    std::int64_t rows_bytes = 0;  // uncompressed; 0 if the task was quarantined
    // Why the task was quarantined: it has no results, only its input as long as that is kept.
    std::string error;
};

struct JobFilter {
    std::string kind;  // empty: all
    std::optional<JobState> state;
    bool unfinished = false;  // only jobs that have not ended
    std::string label_key;    // empty: all; an empty value matches any
    std::string label_value;
    std::optional<UserId> submitter;
    std::string submitter_name;  // empty: all
    std::optional<Timestamp> created_from;
    std::optional<Timestamp> created_before;
    std::string device_class;  // empty: all
    // The device that has run, or runs, one of its tasks; empty: any.
    std::string node;
    std::string device;
    // All of these words, ignoring case, in its name, kind, labels or (short) arguments.
    std::vector<std::string> words;
    std::optional<JobId> only;    // the job itself
    std::optional<JobId> before;  // keyset cursor: jobs older than this one
    int limit = 50;
};

// How many jobs one call examines for conditions without an index.
inline constexpr int kJobsExamined = 20'000;

struct FoundJobs {
    std::vector<Job> jobs;  // newest first
    // The last examined job, if the search ended before the oldest job.
    std::optional<JobId> examined_to = {};
};

struct JobCounts {
    std::map<JobState, std::int64_t> jobs;
    // Whether all jobs were examined; otherwise there may be more.
    bool complete = true;
};

// An attempt at a task of a job.
struct Attempt {
    int task = 0;
    std::int64_t fence = 0;  // number of the attempt at the task
    bool merge = false;      // of the task that makes the report
    int number = 1;
    std::string outcome;  // done, quarantined, retry, final, worker_died, worker_lost, running
    std::string node;     // empty, as are the next two: no longer known
    std::string device;
    std::string device_class;
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> ended_at;
    std::optional<double> seconds;
    std::optional<std::int64_t> items_ok;
    std::optional<std::int64_t> items_failed;
    std::string error;
};

// Keyset cursor of a job's attempts.
struct AttemptPlace {
    int task = -1;
    std::int64_t fence = 0;
};

// A cleanup request to a device, and its result.
struct DeviceCleanup {
    Timestamp requested_at;
    std::string requested_by;                // empty: a deleted user
    std::optional<Timestamp> ended_at;       // none: not reported yet
    std::optional<std::int64_t> kept_bytes;  // device memory, by the job kinds' memory ledger
    std::optional<std::int64_t>
        freed_bytes;  // as measured by the system; negative if others allocated more
};

struct DeviceStatus {
    std::string node;
    std::string device;             // "host", "opencl:0:0"
    std::string device_class;       // host, cpu, gpu
    std::string name;               // display name
    std::string state;              // ready, busy, failed, gone
    std::string reason;             // why it is not ready
    std::string last_exit;          // how the previous worker exited; empty: normally
    std::string copy_mode;          // see WorkerInfo; empty: unknown
    std::string capability;         // JSON text: the probe's report
    std::int64_t memory_bytes = 0;  // 0: unknown
    std::optional<Timestamp> seen_at;
    std::int64_t tasks_running = 0;
    std::string telemetry;                 // JSON text of its last heartbeat; empty: none yet
    std::optional<DeviceCleanup> cleanup;  // the last
};

// The kinds' advertisements on the device (WorkerInfo::advertisements): a JSON object, or empty.
std::string advertisements_of(const DeviceStatus& device);

// Whether the device takes tasks; else, whether it was seen so recently that it may come back: what
// it had is not given up (worker_absence in the database).
bool is_ready(const DeviceStatus& device);
bool may_come_back(const DeviceStatus& device, Timestamp now);

// A part of a job that runs on one device, with its latest attempt.
struct Task {
    int number = 0;
    std::int64_t first_item = 0;
    std::int64_t items = 0;
    std::string state = {};  // waiting, running, done, failed, cancelled
    int attempt = 0;         // number of the latest attempt; 0: none yet
    std::string node = {};   // of it; empty, as are the next two: none, or no longer known
    std::string device = {};
    std::string device_class = {};
    std::optional<Timestamp> started_at = {};
    std::optional<Timestamp> ended_at = {};
    std::optional<double> seconds = {};
    std::optional<std::int64_t> items_ok = {};
    std::optional<std::int64_t> items_failed = {};
    std::string error = {};  // of the latest attempt that failed; empty once the task is done
};

struct TaskFilter {
    std::string state = {};  // empty, as in the next three: any
    std::string node = {};
    std::string device = {};
    std::string error = {};  // a part of it, ignoring case
    int attempt = 0;         // at least
    int after = -1;          // keyset cursor: tasks after this one
    int limit = 50;
};

// How many tasks one call examines for conditions without an index.
inline constexpr int kTasksExamined = 5'000;

struct FoundTasks {
    std::vector<Task> tasks = {};  // by number
    // The last examined task, if the search ended before the last one.
    std::optional<int> examined_to = {};
};

}  // namespace plimsoll::queue
