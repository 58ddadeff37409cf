#pragma once

#include "engine/base/progress.hpp"
#include "engine/base/result.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "engine/telemetry/monitor.hpp"
#include "engine/telemetry/sensors.hpp"
#include "server/base/backoff.hpp"
#include "server/worker/base/batch.hpp"
#include "server/worker/device/running_record.hpp"
#include "server/worker/device/task_runner.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::worker {

// Releases what the job kinds keep on the device between tasks; returns the bytes by their memory
// ledger.
using ReleaseKept = std::function<std::uint64_t(opencl::Device*)>;

// Does one step of work that later tasks benefit from, as Run::prepare.
using Prepare = std::function<jobs::Prepared(jobs::RunContext&)>;

// What the thread does between batches.
struct IdleOptions {
    ReleaseKept release;  // none: nothing to release
    // Idle time after which the thread releases it without a request; none: only on request.
    std::optional<std::chrono::milliseconds> release_after;
    Prepare prepare = {};  // none: nothing to prepare
    // Idle time before each step.
    std::chrono::milliseconds prepare_after{3000};
    // Time after which it prepares in any gap, if tasks come too often for that.
    std::chrono::milliseconds prepare_within{30000};
};

struct OpenedDevice {
    std::unique_ptr<opencl::Device> device;  // none for the host, like the two below
    std::optional<opencl::Capability> capability;
    std::shared_ptr<opencl::Ledger> ledger;  // memory ledger: what job kinds allocated on it
    queue::WorkerInfo info;
    telemetry::MemoryProbe memory;                      // empty: unknown
    std::shared_ptr<const telemetry::Monitor> monitor;  // none: unknown
    // Bytes of memory held by this process, or by all processes if only that is known.
    std::function<std::optional<std::uint64_t>()> held_memory;
    // Checks that the device still works; empty: no check.
    std::function<Result<void>()> check;
};

// Whether the device thread is busy, and a counter that changes as it makes progress.
struct Pulse {
    bool busy = false;
    bool preparing = false;  // busy, and about to stop when a batch arrives
    std::uint64_t count = 0;
    bool operator==(const Pulse&) const = default;
};

// The tasks that the device thread is running together (usually one), with a unique number.
struct RunningTasks {
    std::vector<const TaskSlot*> slots;  // from a batch that has not been handed back yet
    std::uint64_t number = 0;            // above 0
};

// The only thread that uses the device: opens it, then runs batches in order. Callbacks are posted
// to `loop`.
class DeviceThread {
  public:
    using Opener = std::function<Result<OpenedDevice>()>;
    using OnOpened = std::function<void(Result<queue::WorkerInfo>)>;
    using OnFinished = std::function<void(std::shared_ptr<Batch>)>;
    using OnCleaned = std::function<void(queue::Freed)>;
    using OnBroken = std::function<void(std::string reason)>;

    // `random`: jitter for retry pauses; called only by the thread.
    DeviceThread(boost::asio::any_io_executor loop, FindRun find_run, Random random,
                 IdleOptions idle = {}, jobs::KindSettings settings = {});
    // Joins the thread: call hold() and stop the running task first.
    ~DeviceThread();

    // Before start(): where the running tasks are written. It must outlive the thread.
    void record_in(RunningRecord& record) { record_ = &record; }

    // Call once. If the device cannot be opened, the thread ends. `on_broken`: after a task failed
    // and the device's check failed too; the thread then starts no other task.
    void start(Opener opener, OnOpened on_opened, OnFinished on_finished, OnBroken on_broken);

    // An urgent batch goes ahead of waiting ones, of each at most once.
    void submit(std::shared_ptr<Batch> batch);
    // Releases what is kept once no batch runs, before waiting batches start.
    void clean(OnCleaned on_cleaned);
    // Finishes the running task, but neither starts another nor prepares anything; batches are
    // handed back with the results so far.
    void hold();

    Pulse pulse() const;
    std::optional<RunningTasks> running() const;
    // Moves the reports so far out of a batch that is not handed back yet.
    std::vector<queue::TaskReport> take_reports(Batch& batch);
    // The device's memory now, including other processes' use. Called by the loop's thread.
    std::optional<telemetry::DeviceMemory> memory() const;

    // The device's last readings; nullopt if unavailable.
    std::optional<telemetry::Snapshot> snapshot() const;

  private:
    using IdleClock = std::chrono::steady_clock;
    struct Callbacks {
        OnOpened on_opened;
        OnFinished on_finished;
        OnBroken on_broken;
    };
    void run(const Opener& opener, const Callbacks& callbacks);
    void tell(std::function<void()> news);
    // The next work item. Without any member: the idle time is over, so clean up.
    struct Order {
        std::shared_ptr<Batch> batch;
        OnCleaned cleaning;
        bool prepare = false;
    };
    std::optional<Order> next();  // none: leave
    TaskContext place_of(const OpenedDevice& opened) const;
    void await_call(std::unique_lock<std::mutex>& lock);
    bool may_prepare() const;
    IdleClock::time_point next_preparation() const;
    queue::Freed clean_up(const OpenedDevice& opened);
    void prepare(const OpenedDevice& opened);
    void run_batch(Batch& batch, const OpenedDevice& opened, const OnBroken& on_broken);
    void check_after_failure(queue::TaskReport& report, const OpenedDevice& opened,
                             const OnBroken& on_broken);
    // Where this fails, the job gets a merge task.
    void merge_whole_jobs(Batch& batch);
    void run_group(Batch& batch, std::vector<TaskSlot*> group, const TaskContext& place,
                   const OpenedDevice& opened, const OnBroken& on_broken);
    // The tasks of the group that must run; none: hold() was called, or all were stopped.
    std::vector<TaskSlot*> begin(const Batch& batch, const std::vector<TaskSlot*>& group);
    void end(Batch& batch, std::vector<queue::TaskReport> reports);

    boost::asio::any_io_executor loop_;
    FindRun find_run_;
    Random random_;
    IdleOptions idle_;
    jobs::KindSettings settings_;

    RunningRecord nothing_;
    RunningRecord* record_ = &nothing_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Batch>> waiting_;
    OnCleaned cleanup_requested_;
    bool clean_ = true;             // nothing to release except what is kept ready
    IdleClock::time_point used_{};  // when the device was last used
    IdleClock::time_point prepared_ = IdleClock::now();
    IdleClock::time_point looked_{};  // when there was last something to do or to prepare
    // After a release on request, nothing is prepared before a task runs.
    bool prepares_ = true;
    bool kept_ready_ = false;  // Prepared::keeps_ready
    std::stop_source preparing_stop_;
    const Progress* preparing_ = nullptr;
    telemetry::MemoryProbe memory_;
    std::shared_ptr<const telemetry::Monitor> monitor_;
    std::vector<const TaskSlot*> running_;
    std::uint64_t begun_ = 0;  // tasks, or groups of them
    bool engaged_ = false;     // opening the device, or running a batch until it is posted
    bool held_ = false;
    bool leaving_ = false;
    std::uint64_t count_ = 0;  // tasks started and ended, and the beats of ended tasks

    std::thread thread_;
};

}  // namespace plimsoll::worker
