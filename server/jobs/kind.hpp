#pragma once

#include "engine/base/progress.hpp"
#include "engine/base/result.hpp"
#include "server/base/time.hpp"
#include "server/jobs/knowledge.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/settings.hpp"
#include "server/jobs/task_log.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::opencl {
class Device;
class Ledger;
struct Capability;
}  // namespace plimsoll::opencl
namespace plimsoll::text {
struct RecordView;
}

// A job kind. A kind has two parts, linked separately: the contract (in `plimsoll`, which links no
// OpenCL) validates arguments and cuts them into tasks; the run (in `plimsoll-engine`) computes a
// task and merges partial aggregates into the report.
namespace plimsoll::jobs {

struct FieldError {
    std::string pointer;  // JSON pointer below the request body's "args", for example "/texts/3"
    std::string rule;     // short and stable: "max_items", "unknown_model"
    std::string message;  // a full sentence for people
};
using FieldErrors = std::vector<FieldError>;

// Which devices may run the tasks of a job: the key of its lane.
struct Requirement {
    std::string device_class = "host";  // host, cpu, gpu; "gpu,host": the first that is connected
    std::string capability;             // empty: none needed
    int memory_bucket_mib = 0;          // device memory needed, rounded up to a power of two
    std::string model;                  // resident model preferred by the scheduler; empty: none
};

// One piece of a job, run by a single worker: about 20 to 250 ms.
struct TaskSpec {
    std::string input;  // one chunk in the kind's own encoding, at most 1 MiB
    std::int64_t items = 0;
    double estimated_seconds = 0;  // on one device of the class; the charge at claim
};

struct Plan {
    std::string
        args;  // JSON text for the run part and the job page: the arguments without bulk input
    Requirement requirement;
    std::vector<TaskSpec> tasks;  // in input order, never empty
};

// A job on a dataset: every chunk of it becomes the input of a task.
struct DatasetPlan {
    std::string args;  // see Plan; names the dataset and the chosen columns
    Requirement requirement;
    double seconds_per_record = 0;  // estimates, see TaskSpec
    double seconds_per_byte = 0;    // of raw records
};

// Plans a job on a dataset whose items consist of several records anywhere in the file: it receives
// all records in order, and cuts tasks from the items it built.
class Gatherer {
  public:
    virtual ~Gatherer() = default;
    // Fails if the job can no longer be planned: no further calls follow.
    virtual tl::expected<void, FieldErrors> take(const text::RecordView& record) = 0;
    virtual tl::expected<Plan, FieldErrors> finish() = 0;
};

// A result row's member and the CSV column of the same name, in order.
struct Column {
    std::string_view name;
    bool searched = false;  // by searches of the results
};

struct Offer;

// What a job needs and no connected device has, in its kind's words.
struct Lack {
    struct Model {
        std::string name;
        std::string hash;  // its first characters
        std::string form;

        bool operator==(const Model&) const = default;
    };
    std::vector<Model> models;
    std::string what;    // in "It waits for …, which no connected device has."
    std::string advice;  // what helps: sentences

    bool operator==(const Lack&) const = default;
};

struct Contract {
    std::string_view name;
    int version = 1;
    std::span<const Column> columns;
    std::span<const KindSetting> settings = {};
    std::span<const UnusedVariable> unused_variables = {};
    // Records that teams keep for the kind besides its jobs.
    std::span<const Collection> collections = {};
    // Returns the "args" with missing values filled in from the server's knowledge. Null if the
    // kind fills in nothing. Called before `plan` and `estimate`, which also report errors in the
    // rest. Pure, on the I/O thread, a few milliseconds at most.
    tl::expected<nlohmann::json, FieldErrors> (*complete)(nlohmann::json args,
                                                          const Knowledge& knowledge) = nullptr;
    // Whether nothing is left to the server: then `complete` is not called. Null: it always is.
    bool (*is_complete)(const nlohmann::json& args) = nullptr;
    // Whether completing these needs this collection of the team. Null: all of them, always.
    bool (*needs_records)(const nlohmann::json& args, std::string_view collection) = nullptr;
    // Parses the "args" of a request into the kind's own type and plans its tasks. The JSON has
    // passed the kind's schema in openapi.yaml; what a schema cannot express is checked here.
    tl::expected<Plan, FieldErrors> (*plan)(const nlohmann::json& args,
                                            const KindSettings& settings) = nullptr;
    // The same for a job whose "args" name a dataset; none: the kind does not take any.
    tl::expected<DatasetPlan, FieldErrors> (*plan_dataset)(const nlohmann::json& args,
                                                           const DatasetShape& dataset) = nullptr;
    // The same for a kind whose items are not records; at most one of the two is set.
    tl::expected<std::unique_ptr<Gatherer>, FieldErrors> (*gather_dataset)(
        const nlohmann::json& args, const DatasetShape& dataset) = nullptr;
    // Rows for the items of a quarantined task, so that every item of the input has one: JSON lines
    // like TaskOutput::results, not compressed. `args` are the plan's.
    Result<std::string> (*failed_rows)(std::string_view args, std::string_view input,
                                       std::string_view reason) = nullptr;
    // What the `missing` capabilities (Requirement::capability) mean, which no connected device
    // has. `instead`: those of the same sort and name that devices have. None: the kind does not
    // explain them. Null: it never does.
    std::optional<Lack> (*explain_lack)(std::span<const std::string> missing,
                                        std::span<const std::string> instead) = nullptr;
    // The `summary` that a job with these arguments would report, computed immediately without a
    // job (JSON text); null if the kind has none. Pure, off the I/O thread, and well below a
    // second: longer computations are refused.
    tl::expected<std::string, FieldErrors> (*estimate)(const nlohmann::json& args) = nullptr;
    // What the kind offers besides jobs (offer.hpp); null: nothing.
    const Offer* offer = nullptr;
};

struct RunContext {
    opencl::Device* device = nullptr;  // none on the host worker
    Progress& progress;                // items of this task
    std::stop_token stop;  // set on cancel and on a lost lease; check it at least every 100 ms
    std::string_view node = {};  // the machine's name in the queue
    // The device's proven features, and its memory ledger, in which a kind records its allocations.
    // None on the host worker.
    const opencl::Capability* capability = nullptr;
    opencl::Ledger* ledger = nullptr;
    const KindSettings& settings = kUsualSettings;
    TaskLog* log = nullptr;  // of this attempt; none: nobody reads it

    void say(LogLevel level, std::string_view text) const {
        if (log != nullptr) log->say(level, text);
    }
};

struct TaskOutput {
    std::string results;  // one gzip member of JSON lines, one line per item, in input order
    std::int64_t items_ok = 0;
    std::int64_t items_failed = 0;
    std::string partial;  // partial aggregate as JSON text, at most 64 KiB
};

// A task that runs together with others (Run::run_together), which may belong to any jobs and
// teams.
struct SharedTask {
    std::string_view args;
    std::string_view input;
    RunContext& context;  // its stop and its progress are its own
    // See Run::run. None: the tasks could not run together, and this one must run alone.
    std::optional<Result<TaskOutput>> output = {};
    // Its part of the work, in the kind's units: tasks are charged for their time in this ratio.
    std::uint64_t work = 0;
};

// The final result of a job.
struct Merged {
    std::string summary;  // of the report: JSON text
    // Replaces the rows of the job's last task, if they depend on other tasks: in the format of
    // TaskOutput, for the same items. Empty: the rows stay.
    std::string results;
};

// The outcome of preparing for later tasks (Run::prepare).
struct Prepared {
    bool worked = false;  // used the device, and left memory there that idle time releases
    bool keeps_ready =
        false;  // left memory there that tasks need soon and idle time does not release
};

// A worker's abilities for a kind.
struct Abilities {
    std::vector<std::string> names;  // names that Requirement::capability may require
    // A JSON object for the server's part of the kind, passed on in Knowledge::offers; empty: none.
    std::string offer;

    bool operator==(const Abilities&) const = default;
};

struct Run {
    std::string_view name;
    int version = 1;
    // An Error of code unavailable, exhausted or timeout is retried, any other is final.
    Result<TaskOutput> (*run)(std::string_view args, std::string_view input,
                              RunContext& context) = nullptr;
    // Combines the partial aggregates, in task order.
    Result<Merged> (*merge)(std::string_view args, std::span<const std::string> partials) = nullptr;
    // The key of tasks that may run together, from their plan's args: tasks of a claim with equal
    // keys do, whichever team they belong to. Empty: runs alone. Null: all run alone.
    std::string (*shared_key)(std::string_view args) = nullptr;
    // Runs such tasks; each gets the result that `run` would give it alone, unaffected by the
    // others.
    void (*run_together)(std::span<SharedTask> tasks) = nullptr;
    // Releases what the kind keeps between tasks: weights, arenas, programs and idle buffers on
    // `device` (none on the host worker), and caches of the process. Called by the thread that runs
    // tasks, between two of them; the next task recreates what it needs. Returns the bytes of
    // device memory that it held, by the memory ledger. Null: the kind keeps nothing.
    std::uint64_t (*release)(opencl::Device* device) = nullptr;
    // Does one step of work that later tasks on the device benefit from: loads what they will need
    // soon, or makes a measurement that is kept, for example. Called every few seconds by the
    // thread that runs tasks while it has none; `context.stop` is requested when a task arrives.
    // Null: nothing.
    Prepared (*prepare)(RunContext& context, Timestamp now) = nullptr;
    // Whether devices of all classes give the same results: then idle workers help with the kind's
    // tasks of other classes. An account pays the estimate for such a task, so estimates must be
    // accurate for the lane's class.
    bool any_device = false;
    std::span<const KindSetting> settings = {};  // the contract's settings that tasks read
    // The worker's abilities for the kind; `device`: its proven features, null on the host worker.
    // Called with every heartbeat, on the I/O thread: must take well below a millisecond. Null:
    // none.
    Abilities (*abilities)(const KindSettings& settings,
                           const opencl::Capability* device) = nullptr;
};

}  // namespace plimsoll::jobs
