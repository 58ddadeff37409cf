#pragma once

#include "engine/base/result.hpp"
#include "engine/opencl/device.hpp"
#include "engine/telemetry/memory_probe.hpp"
#include "engine/telemetry/monitor.hpp"
#include "server/worker/backoff.hpp"
#include "server/worker/batch.hpp"
#include "server/worker/task_wall.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

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
    std::unique_ptr<opencl::Device> device;  // none for the host
    queue::WorkerInfo info;
    telemetry::MemoryProbe memory;                      // empty: the device does not say
    std::shared_ptr<const telemetry::Monitor> monitor;  // likewise
    // Bytes of memory that this process holds, or anybody where only that is known.
    std::function<std::optional<std::uint64_t>()> held_memory;
};

// Whether the device thread has something to do, and a number that changes while it gets on.
struct Pulse {
    bool busy = false;
    std::uint64_t count = 0;
    bool operator==(const Pulse&) const = default;
};

// The one thread that touches the device: opens it, then runs batches in the order they came. The
// callbacks are posted to `loop`.
class DeviceThread {
  public:
    using Opener = std::function<Result<OpenedDevice>()>;
    using OnOpened = std::function<void(Result<queue::WorkerInfo>)>;
    using OnFinished = std::function<void(std::shared_ptr<Batch>)>;
    using OnCleaned = std::function<void(queue::Freed)>;

    // `random`, called by the thread alone, spreads the pauses before retries.
    DeviceThread(boost::asio::any_io_executor loop, FindRun find_run, Backoff::Random random,
                 CleaningOptions cleaning = {});
    // Waits for the thread: hold() and stop what runs before.
    ~DeviceThread();

    // Once. When the device does not open, the thread ends.
    void start(Opener opener, OnOpened on_opened, OnFinished on_finished);

    void submit(std::shared_ptr<Batch> batch);
    // Lets go of what is kept as soon as no batch runs, before those that wait.
    void clean(OnCleaned on_cleaned);
    // Finishes the running task and starts no other; batches come back with what was done.
    void hold();

    Pulse pulse() const;
    // Of the device, now, whoever holds the rest. Asked by the loop's thread.
    std::optional<telemetry::DeviceMemory> memory() const;

    // What the device last said of itself; nothing when it does not say, or no longer does.
    std::optional<telemetry::Snapshot> snapshot() const;

  private:
    void run(const Opener& opener, const OnOpened& on_opened, const OnFinished& on_finished);
    void tell(std::function<void()> news);
    // What to do next; neither of the two: nothing was asked for, and it is time to clean.
    struct Order {
        std::shared_ptr<Batch> batch;
        OnCleaned cleaning;
    };
    std::optional<Order> next();  // none: leave
    queue::Freed clean_up(const OpenedDevice& opened);
    void work_through(Batch& batch, opencl::Device* device);
    bool begin(TaskSlot& slot);
    void end();

    boost::asio::any_io_executor loop_;
    FindRun find_run_;
    Backoff::Random random_;
    CleaningOptions cleaning_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Batch>> waiting_;
    OnCleaned asked_to_clean_;
    bool clean_ = true;  // nothing ran since the last cleaning
    telemetry::MemoryProbe memory_;
    std::shared_ptr<const telemetry::Monitor> monitor_;
    const TaskSlot* running_ = nullptr;
    bool engaged_ = false;  // with opening the device, or with a batch until it is posted
    bool held_ = false;
    bool leaving_ = false;
    std::uint64_t count_ = 0;  // whatever was begun and ended, and the beats of tasks that ended

    std::thread thread_;
};

}  // namespace plimsoll::worker
