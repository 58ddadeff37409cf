#pragma once

#include "server/base/id.hpp"
#include "server/jobs/kind.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

// What a worker needs of the queue. Its database role may execute these functions and nothing else.
namespace plimsoll::queue {

using boost::asio::awaitable;

struct WorkerInfo {
    std::string node;          // the machine's name
    std::string home;          // tells machines of one name apart
    std::string device;        // "host", "opencl:0:0"
    std::string device_class;  // host, cpu, gpu
    std::string name;          // what a person calls the device
    std::string capability;    // JSON text: the probe's record
    std::int64_t memory_bytes = 0;
    std::vector<std::string> kinds;    // "word-count:1": name and version of every kind it can run
    std::vector<std::string> helps{};  // those of which it also runs tasks of other classes
    std::string last_exit{};  // how the worker before this one ended, for people; empty: in order
    std::string copy_mode{};  // how bytes get to the device, see openapi.yaml; empty: the host
};

// A process that comes back gets a new epoch; leases of the old one are worth nothing.
struct WorkerHandle {
    std::int64_t id = 0;
    std::int64_t epoch = 0;
};

struct ClaimedTask {
    JobId job;
    int seq = 0;
    std::string kind;
    int kind_version = 1;
    std::string args;
    std::string input;  // empty for a merge task
    std::int64_t items = 0;
    int attempt = 1;
    bool merge = false;
    std::vector<std::string> partials;  // of a merge task, in task order
    double estimated_seconds = 0;
    std::string model;  // that its device will then hold; empty: none
};

struct Claim {
    std::int64_t fence = 0;  // 0: nothing to do
    bool elsewhere = false;  // of another device class than the worker's
    std::vector<ClaimedTask> tasks;
};

struct TaskReport {
    enum class Outcome {
        done,
        retry,
        failed,
        died,  // it costs its worker's process: a death, told by who dies
    };
    JobId job;
    int seq = 0;
    bool merge = false;
    Outcome outcome = Outcome::done;
    // Of a task that is done; of a merge task the rows of the job's last task, where it wrote them
    // again.
    jobs::TaskOutput output;
    std::string report;                     // JSON text, of a merge task that is done
    std::string error;                      // for people, of one that is not
    std::optional<Errc> cause;              // likewise, where an error of the task caused it
    std::chrono::duration<double> pause{};  // before the retry
    double device_seconds = 0;
};

enum class Acceptance {
    accepted,
    replayed,  // this very completion was accepted before (the reply was lost)
    stale,     // the lease is gone: somebody else has the tasks now
};

struct HeartbeatReply {
    bool expired = false;          // this worker's leases are gone: drop the work, register again
    std::vector<JobId> cancelled;  // stop these
    bool drain = false;            // claim nothing more
    std::int64_t cleanup = 0;      // a request to let go of what is kept between tasks; 0: none
};

// What a worker let go of.
struct Freed {
    std::uint64_t kept_bytes = 0;             // of device memory, by the books of the job kinds
    std::optional<std::int64_t> freed_bytes;  // as the system counts; none: it does not say
};

// What a worker tells of itself, for monitoring. The counts run from the start of its process.
struct WorkerTelemetry {
    std::int64_t claims = 0;  // that brought work
    std::int64_t tasks_done = 0;
    std::int64_t tasks_failed = 0;
    std::int64_t tasks_retried = 0;           // handed back to be tried again
    std::int64_t tasks_died = 0;              // that cost the process
    std::int64_t tasks_released = 0;          // handed back unstarted or stopped
    std::int64_t tasks_dropped = 0;           // computed, but the lease was gone
    std::optional<std::int64_t> free_memory;  // of the device, bytes; at the last claim
    std::string device;  // JSON text: what the device says of itself; empty: nothing
    // Seconds that it lately took for an estimated one, by kind ("word-count:3"), of kinds that
    // workers help with: by these, helpers and devices of the class are compared.
    std::map<std::string, double> slowness;
};

class WorkerStore {
  public:
    virtual ~WorkerStore() = default;

    // Errc::conflict: a worker with another home lives under this node and device.
    virtual awaitable<Result<WorkerHandle>> enlist(WorkerInfo info) = 0;
    // Lists a device that no worker can use; its capability says why.
    virtual awaitable<Result<void>> report_unusable(WorkerInfo info) = 0;
    // Sent only while the device thread shows life. `items` is the worker's own progress: items
    // finished in tasks that are leased now, per job.
    virtual awaitable<Result<HeartbeatReply>> heartbeat(
        WorkerHandle worker, std::vector<std::pair<JobId, std::int64_t>> items,
        WorkerTelemetry telemetry) = 0;
    // Answers a heartbeat's request, which comes again until then.
    virtual awaitable<Result<void>> report_cleanup(WorkerHandle worker, std::int64_t cleanup,
                                                   Freed freed) = 0;
    // At most `seconds` of estimated device time, or one task, and only tasks that need no more
    // than `free_memory` bytes; without it, than what the device had when the worker enlisted.
    virtual awaitable<Result<Claim>> claim(WorkerHandle worker, double seconds, int max_tasks,
                                           std::optional<std::int64_t> free_memory = {}) = 0;
    // Tasks of another class, of the kinds that the worker helps with: about `seconds` of its own
    // time, and only what it will have done before that class would. For a worker that holds
    // nothing, and it must claim nothing else until these are settled. After any error it must
    // retire and enlist anew: a lease may have been made of which it does not know.
    virtual awaitable<Result<Claim>> claim_elsewhere(
        WorkerHandle worker, double seconds, int max_tasks,
        std::optional<std::int64_t> free_memory = {}) = 0;
    virtual awaitable<Result<Acceptance>> complete(WorkerHandle worker, std::int64_t fence,
                                                   std::vector<TaskReport> reports) = 0;
    // Gives unstarted tasks back, without costing them an attempt.
    virtual awaitable<Result<void>> release(WorkerHandle worker, std::int64_t fence) = 0;
    virtual awaitable<Result<void>> retire(WorkerHandle worker) = 0;
    // Returns when work for this device class may be there or the worker has something to stop, or
    // at the deadline; may return early for no reason. True when this worker itself was called.
    virtual awaitable<bool> wake(WorkerHandle worker,
                                 std::chrono::steady_clock::time_point deadline) = 0;
};

}  // namespace plimsoll::queue
