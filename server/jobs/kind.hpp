#pragma once

#include "engine/base/progress.hpp"
#include "engine/base/result.hpp"
#include "server/base/time.hpp"
#include "server/jobs/planning_context.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/settings.hpp"
#include "server/jobs/task_log.hpp"

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
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

// One error for one field, for a check that stops at the first.
inline tl::unexpected<FieldErrors> refused(std::string pointer, std::string rule,
                                           std::string message) {
    return tl::unexpected(FieldErrors{{std::move(pointer), std::move(rule), std::move(message)}});
}

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
    // JSON text for the run part and the job page: what the tasks need of the arguments, without
    // bulk input.
    std::string args;
    Requirement requirement;
    std::vector<TaskSpec> tasks;  // in input order, never empty
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

// A job on a dataset. Every chunk becomes the input of a task, unless a gatherer makes the plan.
struct DatasetPlan {
    Plan plan;                      // without tasks; its args name the dataset and its columns
    double seconds_per_record = 0;  // estimates, see TaskSpec
    double seconds_per_byte = 0;    // of raw records
    std::unique_ptr<Gatherer> gatherer = nullptr;
};

// A result row's member and the CSV column of the same name, in order.
struct Column {
    std::string_view name;
    bool searched = false;  // by searches of the results
};

struct KindExtras;

// What a job needs and no connected device has, in its kind's words.
struct MissingCapability {
    struct Model {
        std::string name;
        std::string hash;  // its first characters
        std::string form;

        bool operator==(const Model&) const = default;
    };
    std::vector<Model> models;
    std::string what;    // in "It waits for …, which no connected device has."
    std::string advice;  // what helps: sentences

    bool operator==(const MissingCapability&) const = default;
};

struct Contract {
    std::string_view name;
    int version = 1;
    std::span<const Column> columns;
    std::span<const KindSetting> settings = {};
    std::span<const UnusedVariable> unused_variables = {};
    // Records that teams keep for the kind besides its jobs.
    std::span<const Collection> collections = {};
    // What planning a job with these "args" needs to know. Null: nothing.
    Needs (*needs)(const nlohmann::json& args) = nullptr;
    // Parses the "args" of a request into the kind's own type, fills in what they leave to the
    // server, and cuts the job into tasks. The JSON has passed the kind's schema in openapi.yaml;
    // what a schema cannot express is checked here. On any thread; small jobs are planned on the
    // I/O thread, in a few milliseconds at most.
    tl::expected<Plan, FieldErrors> (*plan)(const nlohmann::json& args,
                                            const PlanningContext& planning_context) = nullptr;
    // The same for a job whose "args" name a dataset. Null: the kind does not take any.
    tl::expected<DatasetPlan, FieldErrors> (*plan_dataset)(const nlohmann::json& args,
                                                           const PlanningContext& planning_context,
                                                           const DatasetShape& dataset) = nullptr;
    // Rows for the items of a quarantined task, so that every item of the input has one: JSON lines
    // like TaskOutput::results, not compressed. `args` are the plan's.
    Result<std::string> (*failed_rows)(std::string_view args, std::string_view input,
                                       std::string_view reason) = nullptr;
    // The columns that no row of a job with these `args` of a plan has: CSV omits them. Null: none.
    std::vector<std::string_view> (*unfilled_columns)(std::string_view args) = nullptr;
    // What the `missing` capabilities (Requirement::capability) mean, which no connected device
    // has. `instead`: those of the same sort and name that devices have. None: the kind does not
    // explain them. Null: it never does.
    std::optional<MissingCapability> (*explain_missing)(
        std::span<const std::string> missing, std::span<const std::string> instead) = nullptr;
    // The `summary` that a job with these arguments would report, computed immediately without a
    // job (JSON text); null if the kind has none. Pure, off the I/O thread, and well below a
    // second: longer computations are refused.
    tl::expected<std::string, FieldErrors> (*estimate)(
        const nlohmann::json& args, const PlanningContext& planning_context) = nullptr;
    // What the kind offers besides jobs (kind_extras.hpp); null: nothing.
    const KindExtras* extras = nullptr;
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
    const KindSettings& settings = kDefaultSettings;
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
    const std::any& args;  // see Run::parse
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

// A worker's capabilities for a kind.
struct Capabilities {
    std::vector<std::string> names;  // names that Requirement::capability may require
    // A JSON object for the server's part of the kind, passed on in
    // PlanningContext::advertisements; empty: none.
    std::string advertisement;

    bool operator==(const Capabilities&) const = default;
};

struct Run {
    std::string_view name;
    int version = 1;
    // Parses a plan's args into the kind's own type: once for all tasks of a job in a claim. The
    // functions below get the result; `typed` makes them of functions on that type.
    Result<std::any> (*parse)(std::string_view args) = nullptr;
    // An Error of code unavailable, exhausted or timeout is retried, any other is final.
    Result<TaskOutput> (*run)(const std::any& args, std::string_view input,
                              RunContext& context) = nullptr;
    // Combines the partial aggregates, in task order.
    Result<Merged> (*merge)(const std::any& args, std::span<const std::string> partials) = nullptr;
    // The key of tasks that may run together: tasks of a claim with equal keys do, whichever team
    // they belong to. Empty: runs alone. Null: all run alone.
    std::string (*shared_key)(const std::any& args) = nullptr;
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
    // The worker's capabilities for the kind; `device`: its proven features, null on the host
    // worker. Called with every heartbeat, on the I/O thread: must take well below a millisecond.
    // Null: none.
    Capabilities (*capabilities)(const KindSettings& settings,
                                 const opencl::Capability* device) = nullptr;
};

// A kind's function on its own type of arguments, in the form that Run has for all kinds.
template <auto function>
struct Typed;
template <class Args, Result<Args> (*function)(std::string_view)>
struct Typed<function> {
    static Result<std::any> call(std::string_view text) {
        return function(text).map([](Args&& args) { return std::any(std::move(args)); });
    }
};
template <class Output, class Args, class... More, Output (*function)(const Args&, More...)>
struct Typed<function> {
    static Output call(const std::any& args, More... more) {
        return function(std::any_cast<const Args&>(args), std::forward<More>(more)...);
    }
};
template <auto function>
inline constexpr auto typed = &Typed<function>::call;

}  // namespace plimsoll::jobs
