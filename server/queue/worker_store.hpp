#pragma once

#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"
#include "server/base/tracing.hpp"
#include "server/jobs/job_args.hpp"
#include "server/jobs/records/slice.hpp"

#include <chrono>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The queue as a worker sees it. The worker's database role may execute these functions and nothing
// else.
namespace plimsoll::queue {

// A task of a claim.
struct LeasedTask {
    std::int64_t fence = 0;
    JobId job;
    int seq = 0;
    bool operator==(const LeasedTask&) const = default;
};

struct WorkerInfo {
    std::string node;          // the machine's name
    std::string home;          // distinguishes machines with the same name
    std::string device;        // "host", "opencl:0:0"
    std::string device_class;  // host, cpu, gpu
    std::string name;          // display name of the device
    std::string capability;    // JSON text: the probe's record
    std::int64_t memory_bytes = 0;
    std::vector<std::string> kinds;    // "kind:1": name and version of every kind it can run
    std::vector<std::string> helps{};  // those it also runs for other device classes
    std::string last_exit{};           // how the previous worker exited; empty: normally
    // What the previous process was running when it died: nothing else that it held had begun.
    // None: that is not known, or it did not die.
    std::optional<std::vector<LeasedTask>> died{};
    // The capabilities of its kinds, see jobs::Capabilities: what tasks may require, and a JSON
    // object from kinds to their advertisements (empty: none).
    std::vector<std::string> capabilities{};
    std::string advertisements{};
    std::string
        copy_mode{};  // how data is copied to the device, see openapi.yaml; empty for the host
};

// A worker that registers again gets a new epoch; leases of the old epoch are void.
struct WorkerHandle {
    std::int64_t id = 0;
    std::int64_t epoch = 0;
};

struct ClaimedTask {
    JobId job;
    int seq = 0;
    std::string kind;
    int kind_version = 1;
    jobs::JobArgs args;  // of the plan
    std::string input;   // empty for a merge task and for one on a dataset
    // Of a task on a dataset, the chunk, which its tasks of the claim share, and the slice of its
    // records that the task has; see divide_chunks.
    std::shared_ptr<const std::string> chunk;
    jobs::Slice slice{};
    std::int64_t items = 0;
    int attempt = 1;
    int priority = 0;  // the job's, as in its lane
    bool merge = false;
    // How many tasks the job has, if the claim has them all and they also make its report; else 0.
    std::size_t whole = 0;
    std::vector<std::string> partials;  // of a merge task, in task order
    double estimated_seconds = 0;
    std::string model;         // held by its device afterwards; empty: none
    tracing::Carried trace{};  // of the request; `ready`: when the job could begin
};

struct TaskName {
    JobId job;
    int seq = 0;
    auto operator<=>(const TaskName&) const = default;
};

struct Claim {
    std::int64_t fence = 0;  // 0: nothing to do
    bool elsewhere = false;  // of a device class other than the worker's
    std::vector<ClaimedTask> tasks;
};

struct TaskReport {
    enum class Outcome {
        done,
        retry,
        failed,
        died,  // it ends its worker process; reported by the dying worker
    };
    JobId job;
    int seq = 0;
    bool merge = false;
    Outcome outcome = Outcome::done;
    // Output of a completed task; for a merge task, the rows of the job's last task if it rewrote
    // them.
    jobs::TaskOutput output;
    // JSON text, of a merge task that is done, or of a whole job of several tasks, at its last one.
    std::string report;
    std::string error;                      // for people, of one that is not
    std::optional<Errc> cause;              // also, if an error of the task caused it
    std::chrono::duration<double> pause{};  // before the retry
    double device_seconds = 0;
    std::int64_t tokens = 0;           // that models have read for it
    std::vector<jobs::LogLine> lines;  // of its log that were not recorded before
};

// What was said about a task that is still running.
struct TaskLines {
    JobId job;
    int seq = 0;
    std::vector<jobs::LogLine> lines;
};

enum class Acceptance {
    accepted,
    replayed,  // this completion was already accepted (the reply was lost)
    stale,     // the lease is gone: another lease holds the tasks
};

struct HeartbeatReply {
    bool expired = false;          // this worker's leases are gone: drop the work, register again
    std::vector<JobId> cancelled;  // stop these
    std::int64_t cleanup = 0;      // a cleanup request; 0: none
};

// What a cleanup released.
struct Freed {
    std::uint64_t kept_bytes = 0;             // device memory, by the job kinds' memory ledger
    std::optional<std::int64_t> freed_bytes;  // as measured by the system; none: unknown
};

// Telemetry that a worker reports with each heartbeat. Counters start at zero with its process.
struct WorkerTelemetry {
    std::int64_t claims = 0;  // that returned tasks
    std::int64_t tasks_done = 0;
    std::int64_t tasks_failed = 0;
    std::int64_t tasks_retried = 0;              // returned to be retried
    std::int64_t tasks_died = 0;                 // that cost the process
    std::int64_t tasks_released = 0;             // returned unstarted or stopped
    std::int64_t tasks_dropped = 0;              // computed, but the lease was gone
    std::optional<std::int64_t> free_memory;     // of the device, bytes; at the last claim
    std::optional<std::int64_t> offered_memory;  // of it, to tasks: without the worker's reserve
    std::string device;                          // JSON text: the device's readings; empty: none
    // Recent measured seconds per estimated second, by kind ("kind:3"), for kinds that run on
    // any device class. Used to compare helpers with devices of the class.
    std::map<std::string, double> slowness;
};

class WorkerStore {
  public:
    virtual ~WorkerStore() = default;

    // Registers the worker and starts a new epoch. Errc::conflict: a live worker from another home
    // has this node and device. Errc::corrupt: the schema is newer than this program.
    virtual awaitable<Result<WorkerHandle>> register_worker(WorkerInfo info) = 0;
    // Lists a device that no worker can use; `capability` says why.
    virtual awaitable<Result<void>> report_unusable(WorkerInfo info) = 0;
    // Extends all leases of the worker. Send only while the device thread is alive. `items`: items
    // finished in currently leased tasks, per job. Errc::corrupt: the leases are extended, but
    // the database's schema is newer than this program.
    virtual awaitable<Result<HeartbeatReply>> heartbeat(
        WorkerHandle worker, std::vector<std::pair<JobId, std::int64_t>> items,
        WorkerTelemetry telemetry) = 0;
    // Reports the result of a cleanup request, which every heartbeat repeats until then.
    virtual awaitable<Result<void>> report_cleanup(WorkerHandle worker, std::int64_t cleanup,
                                                   Freed freed) = 0;
    // Claims at most `seconds` of estimated device time, or a single task, and only tasks that need
    // at most `free_memory` bytes (default: what the device had when the worker registered).
    virtual awaitable<Result<Claim>> claim(WorkerHandle worker, double seconds, int max_tasks,
                                           std::optional<std::int64_t> free_memory = {}) = 0;
    // Claims tasks of another device class, of the kinds that the worker helps with: about
    // `seconds` of its own time, and only if it will finish before that class would. The worker
    // must hold no lease and claim nothing else until these are settled. After any error it must
    // retire and register again, because it may hold a lease that it does not know about.
    virtual awaitable<Result<Claim>> claim_elsewhere(
        WorkerHandle worker, double seconds, int max_tasks,
        std::optional<std::int64_t> free_memory = {}) = 0;
    virtual awaitable<Result<Acceptance>> complete(WorkerHandle worker, std::int64_t fence,
                                                   std::vector<TaskReport> reports) = 0;
    // Records what was said about tasks of a lease before they end. What is repeated counts once.
    virtual awaitable<Result<void>> record_log(WorkerHandle worker, std::int64_t fence,
                                               std::vector<TaskLines> tasks) = 0;
    // Releases unstarted tasks of a lease without costing them an attempt.
    virtual awaitable<Result<void>> release(WorkerHandle worker, std::int64_t fence,
                                            std::vector<TaskName> tasks) = 0;
    virtual awaitable<Result<void>> retire(WorkerHandle worker) = 0;
    // Waits until there may be work for this device class, or something to stop, or until the
    // deadline. Spurious returns are possible. True if this worker itself was notified.
    virtual awaitable<bool> wake(WorkerHandle worker,
                                 std::chrono::steady_clock::time_point deadline) = 0;
};

}  // namespace plimsoll::queue
