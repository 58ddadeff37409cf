#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"
#include "server/jobs/kind.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::queue {

enum class JobState { scheduled, queued, running, cancelling, succeeded, failed, cancelled };

std::string_view to_string(JobState state);
std::optional<JobState> parse_job_state(std::string_view text);
inline bool is_final(JobState state) {
    return state >= JobState::succeeded;
}

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
    std::optional<Timestamp> run_at;    // not before; none: at once
    std::optional<Timestamp> deadline;  // it fails if it has not ended by then
    std::optional<Seconds> timeout;     // and if it runs for longer, from its start
    std::string unique_key;  // one unfinished job of the team has it at a time; empty: none
    jobs::Plan plan;
};

// Which schedule made a job, and for when.
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
    std::string args = "{}";  // JSON text, see jobs::Plan::args
    std::int64_t items_total = 0;
    std::int64_t items_done = 0;  // ok and failed together
    std::int64_t items_failed = 0;
    int tasks_total = 0;
    int tasks_done = 0;
    int tasks_failed = 0;    // given up; their items count as failed
    int retries = 0;         // attempts of its tasks that were followed by another
    std::string last_error;  // what the last attempt that failed said; empty: none did
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

// A job as it stands when it has just been stored.
Job stored(NewJob job, JobId id, Timestamp created_at);

// A numbered, stored happening of a job; numbers start at 1 and have no gaps.
struct JobEvent {
    std::int64_t number = 0;
    std::string type;  // submitted, started, progress, retried, quarantined, cancelling, finished …
    std::string data;  // JSON text
    Timestamp at;
};

// What became of the wish to run again what an ended job did not get done.
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
    std::int64_t bytes = 0;       // compressed
    std::int64_t rows_bytes = 0;  // unpacked; 0 where the task was given up
    // Why the task was given up: then there are no results, only its input, while that is kept.
    std::string error;
};

struct JobFilter {
    std::string kind;  // empty: all
    std::optional<JobState> state;
    std::string label_key;  // empty: all; an empty value matches any
    std::string label_value;
    std::optional<JobId> before;  // keyset cursor: jobs older than this one
    int limit = 50;
};

// What a device let go of when somebody asked it to.
struct DeviceCleanup {
    Timestamp asked_at;
    std::string asked_by;                    // empty: somebody who is gone
    std::optional<Timestamp> ended_at;       // none: the worker has not told yet
    std::optional<std::int64_t> kept_bytes;  // of device memory, by the books of the job kinds
    std::optional<std::int64_t>
        freed_bytes;  // by the system: less than nothing when others took more
};

struct DeviceStatus {
    std::string node;
    std::string device;             // "host", "opencl:0:0"
    std::string device_class;       // host, cpu, gpu
    std::string name;               // what a person calls it
    std::string state;              // ready, busy, draining, failed, gone
    std::string reason;             // why it is not ready
    std::string last_end;           // how the worker before this one ended; empty: in order
    std::string copies;             // as of WorkerInfo; empty: not told
    std::string capability;         // JSON text: the probe's record
    std::int64_t memory_bytes = 0;  // 0: unknown
    std::optional<Timestamp> seen_at;
    std::int64_t tasks_running = 0;
    std::string telemetry;                 // JSON text of its last heartbeat; empty: none yet
    std::optional<DeviceCleanup> cleanup;  // the last
};

}  // namespace plimsoll::queue
