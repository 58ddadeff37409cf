#pragma once

#include "server/queue/worker_store.hpp"
#include "server/worker/base/backoff.hpp"
#include "server/worker/base/batch.hpp"
#include "server/worker/base/event.hpp"
#include "server/worker/base/outage.hpp"
#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_log.hpp"
#include "server/worker/device/device_thread.hpp"
#include "server/worker/loop/life.hpp"
#include "server/worker/loop/pace.hpp"
#include "server/worker/loop/recorder.hpp"
#include "server/worker/loop/slowness.hpp"
#include "server/worker/loop/time_guard.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::worker {

struct WorkerOptions {
    std::string last_exit{};    // of the worker before; see queue::WorkerInfo
    bool log_readings = false;  // what the device says of itself, every ten seconds
    // A lease lapses 15 s after the last heartbeat that the database accepted.
    std::chrono::milliseconds heartbeat{5000};
    // After a notification, which may tell of a cancel, the next heartbeat comes this soon.
    std::chrono::milliseconds early_heartbeat{250};
    // How long to believe that no notification means no work, before asking anyway.
    std::chrono::milliseconds poll{1000};
    double claim_seconds = 0.25;  // of device time; a longer task comes alone
    // How soon after other classes had nothing for it a worker without work looks there again.
    std::chrono::milliseconds between_looks_elsewhere{500};
    // So many tasks at first and of longer ones, and so many of tasks that end at once.
    int fewest_tasks = 64;
    int most_tasks = 2048;
    // Of the device's memory that is free now, this much is left to others: a training run beside
    // us grows in steps.
    std::int64_t spared_memory = std::int64_t{512} << 20;
    // How long a look at the device's memory is believed while nothing runs: a worker that is
    // notified mostly claims at once instead of looking first. Each poll looks anew.
    std::chrono::milliseconds memory_look{900};
    // A drain that takes longer is given up, and the leases lapse.
    std::chrono::milliseconds drain{30'000};
    // How long to try to tell the queue that we leave, so that its tasks need not wait for the
    // leases to lapse. In a hurry: less than the supervisor then waits for its children.
    std::chrono::milliseconds farewell{8'000};
    std::chrono::milliseconds hurried_farewell{2'000};
};

// Claims tasks, has the device thread run them and records what came of it, each step in a loop of
// its own on one I/O thread. Nothing here waits for the device, and a database that is away or
// hangs costs nothing but time: results are kept and offered again until it answers.
class Worker {
  public:
    Worker(boost::asio::any_io_executor executor, queue::WorkerStore& store, DeviceThread& device,
           Timer& timer, const Backoff::Random& random, WorkerOptions options = {});

    // Enlists and works until drained or abandoned, then retires. True when the device thread is
    // idle: it may be joined.
    awaitable<bool> run(queue::WorkerInfo info);

    // Finishes the running task, gives the rest back and leaves.
    void drain();
    // Leaves at once; the running task is asked to stop, but not waited for.
    void abandon();

    // To be called with each batch that the device thread hands back.
    void finished(std::shared_ptr<Batch> batch);

    // To be called when the device no longer does as it is told: records what is done and leaves.
    void device_broke(std::string reason);

    // Why this process must not go on once run() has returned; nothing: it left in order.
    const std::optional<std::string>& failure() const { return failure_; }

  private:
    awaitable<void> loops();
    awaitable<void> heartbeats();
    awaitable<void> claims();
    awaitable<void> records();
    awaitable<void> notifications();
    awaitable<void> abandonment();
    awaitable<void> time_limits();

    awaitable<void> enlist();
    awaitable<void> beat();
    void read_device();
    awaitable<void> until_next_beat();
    awaitable<void> retire();
    awaitable<void> give_up(const TaskSlot& slot);

    awaitable<Result<queue::Claim>> claim_for(queue::WorkerHandle as);
    void start(queue::WorkerHandle as, queue::Claim claim);
    void look();
    void obey(const queue::HeartbeatReply& reply);
    void clean(std::int64_t request);
    awaitable<void> report_cleaning();
    void stop_job(JobId job);
    void lose_leases();
    bool wants_work() const;
    bool may_help() const;
    std::optional<std::int64_t> memory_to_offer();
    bool over() const;
    void wake_all();

    queue::WorkerStore& store_;
    DeviceThread& device_;
    Timer& timer_;
    WorkerOptions options_;
    Backoff retry_;  // of enlisting and claiming
    Pace pace_;
    Slowness slowness_;
    TimeGuard time_guard_;
    Outage outage_;
    Recorder recorder_;

    queue::WorkerInfo info_;
    queue::WorkerHandle handle_;
    Batches outstanding_;                          // claimed and not yet settled
    std::deque<std::shared_ptr<Batch>> finished_;  // of those, back from the device
    Life life_;
    queue::WorkerTelemetry telemetry_;
    DeviceLog device_log_;
    std::optional<std::int64_t> offer_;  // of memory, at the last look
    TimePoint offer_until_{};
    TimePoint help_from_{};  // before, other classes are not asked for work
    TimePoint last_beat_{};
    TimePoint accepted_beat_{};  // or enlisted: our leases live for 15 s

    bool must_enlist_ = true;
    bool had_rival_ = false;      // the queue does not know us, or no longer
    bool told_to_pause_ = false;  // by the queue: claim nothing for now
    bool device_silent_ = false;  // the device thread shows no life
    std::int64_t cleaning_ = 0;   // a request that the device thread has, or whose answer waits
    std::optional<queue::Freed> freed_;  // that answer
    bool claiming_ = false;              // a claim is under way
    bool draining_ = false;
    bool abandoned_ = false;
    std::optional<std::string> failure_;
    bool leases_lapse_ = false;  // on purpose: the queue is not told that we leave

    // "Look again", one for each loop.
    Event for_heartbeats_;
    Event for_claims_;
    Event for_records_;
    Event for_notifications_;
    Event for_abandonment_;
    Event for_time_limits_;
};

}  // namespace plimsoll::worker
