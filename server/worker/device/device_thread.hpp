#pragma once

#include "engine/base/result.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "engine/telemetry/memory_probe.hpp"
#include "engine/telemetry/monitor.hpp"
#include "server/worker/base/backoff.hpp"
#include "server/worker/base/batch.hpp"
#include "server/worker/device/task_wall.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::worker {

// Lets go of what the job kinds keep on the device between tasks; the bytes by their own books.
using ReleaseKept = std::function<std::uint64_t(opencl::Device*)>;

struct CleaningOptions {
    ReleaseKept release;  // none: there is nothing to let go of
    // After so long without a task the thread lets go by itself; none: only when it is asked to.
    std::optional<std::chrono::milliseconds> when_idle;
};

struct OpenedDevice {
    std::unique_ptr<opencl::Device> device;  // none for the host, as the two below
    std::optional<opencl::Capability> capability;
    std::shared_ptr<opencl::Ledger> ledger;  // of its memory, by what job kinds entered
    queue::WorkerInfo info;
    telemetry::MemoryProbe memory;                      // empty: the device does not say
    std::shared_ptr<const telemetry::Monitor> monitor;  // likewise
    // Bytes of memory that this process holds, or anybody where only that is known.
    std::function<std::optional<std::uint64_t>()> held_memory;
    // Whether the device still does as it is told; empty: there is nothing to ask.
    std::function<Result<void>()> check;
};

// Whether the device thread has something to do, and a number that changes while it gets on.
struct Pulse {
    bool busy = false;
    std::uint64_t count = 0;
    bool operator==(const Pulse&) const = default;
};

// The task that the device thread is at, and a number that no other has.
struct RunningTask {
    const TaskSlot* slot = nullptr;  // of a batch that was not handed back yet
    std::uint64_t number = 0;        // above 0
};

// The one thread that touches the device: opens it, then runs batches in the order they came. The
// callbacks are posted to `loop`.
class DeviceThread {
  public:
    using Opener = std::function<Result<OpenedDevice>()>;
    using OnOpened = std::function<void(Result<queue::WorkerInfo>)>;
    using OnFinished = std::function<void(std::shared_ptr<Batch>)>;
    using OnCleaned = std::function<void(queue::Freed)>;
    using OnBroken = std::function<void(std::string reason)>;

    // `random`, called by the thread alone, spreads the pauses before retries.
    DeviceThread(boost::asio::any_io_executor loop, FindRun find_run, Backoff::Random random,
                 CleaningOptions cleaning = {}, jobs::KindSettings settings = {});
    // Waits for the thread: hold() and stop what runs before.
    ~DeviceThread();

    // Once. When the device does not open, the thread ends. `on_broken` is told when the device no
    // longer does as it is told after a task failed on it: the thread then begins no other task.
    void start(Opener opener, OnOpened on_opened, OnFinished on_finished, OnBroken on_broken);

    void submit(std::shared_ptr<Batch> batch);
    // Lets go of what is kept as soon as no batch runs, before those that wait.
    void clean(OnCleaned on_cleaned);
    // Finishes the running task and starts no other; batches come back with what was done.
    void hold();

    Pulse pulse() const;
    std::optional<RunningTask> running() const;
    // Of a batch that is not handed back yet: the reports so far, which it then no longer has.
    std::vector<queue::TaskReport> take_reports(Batch& batch);
    // Of the device, now, whoever holds the rest. Asked by the loop's thread.
    std::optional<telemetry::DeviceMemory> memory() const;

    // What the device last said of itself; nothing when it does not say, or no longer does.
    std::optional<telemetry::Snapshot> snapshot() const;

  private:
    struct Callbacks {
        OnOpened on_opened;
        OnFinished on_finished;
        OnBroken on_broken;
    };
    void run(const Opener& opener, const Callbacks& callbacks);
    void tell(std::function<void()> news);
    // What to do next; neither of the two: nothing was asked for, and it is time to clean.
    struct Order {
        std::shared_ptr<Batch> batch;
        OnCleaned cleaning;
    };
    std::optional<Order> next();  // none: leave
    queue::Freed clean_up(const OpenedDevice& opened);
    void work_through(Batch& batch, const OpenedDevice& opened, const OnBroken& on_broken);
    void look_after(queue::TaskReport& report, const queue::ClaimedTask& task,
                    const OpenedDevice& opened, const OnBroken& on_broken);
    bool begin(TaskSlot& slot);
    void end(Batch& batch, std::optional<queue::TaskReport> report);

    boost::asio::any_io_executor loop_;
    FindRun find_run_;
    Backoff::Random random_;
    CleaningOptions cleaning_;
    jobs::KindSettings settings_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Batch>> waiting_;
    OnCleaned asked_to_clean_;
    bool clean_ = true;  // nothing ran since the last cleaning
    telemetry::MemoryProbe memory_;
    std::shared_ptr<const telemetry::Monitor> monitor_;
    const TaskSlot* running_ = nullptr;
    std::uint64_t begun_ = 0;  // tasks
    bool engaged_ = false;     // with opening the device, or with a batch until it is posted
    bool held_ = false;
    bool leaving_ = false;
    std::uint64_t count_ = 0;  // whatever was begun and ended, and the beats of tasks that ended

    std::thread thread_;
};

}  // namespace plimsoll::worker
