#pragma once

#include "server/base/backoff.hpp"
#include "server/queue/worker_store.hpp"
#include "server/worker/base/batch.hpp"
#include "server/worker/base/outage.hpp"
#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_log.hpp"
#include "server/worker/device/device_thread.hpp"
#include "server/worker/loop/liveness.hpp"
#include "server/worker/loop/pace.hpp"
#include "server/worker/loop/recorder.hpp"
#include "server/worker/loop/time_guard.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::worker {

struct WorkerOptions {
    std::string last_exit{};  // of the previous worker; see queue::WorkerInfo, as is the next
    std::optional<std::vector<queue::LeasedTask>> died{};
    bool log_readings = false;  // log device readings every ten seconds
    // A lease expires 15 s after the last heartbeat that the database accepted.
    std::chrono::milliseconds heartbeat{5000};
    // Delay of the next heartbeat after a notification, which may announce a cancellation.
    std::chrono::milliseconds early_heartbeat{250};
    // Interval of claims without a notification, in case one was lost.
    std::chrono::milliseconds poll{1000};
    ProcessorWait wait{};         // which does not count as the device thread's silence
    double claim_seconds = 0.25;  // of device time; a longer task comes alone
    // Interval at which an idle worker requests tasks of other device classes.
    std::chrono::milliseconds cross_class_poll{500};
    // Tasks per claim: at first and for longer tasks; for very short tasks.
    int fewest_tasks = 64;
    int max_tasks = 2048;
    // How long at most tasks that arrive while others are worked off wait for a claim together.
    std::chrono::milliseconds gather{20};
    // Free device memory, in bytes, left to other processes, such as a growing training run.
    std::int64_t memory_reserve = std::int64_t{512} << 20;
    // How long a reading of free device memory stays valid while idle, so that a notified worker
    // claims without reading it first. Each poll reads it again.
    std::chrono::milliseconds memory_max_age{900};
    // A drain that takes longer is abandoned, and the leases expire.
    std::chrono::milliseconds drain{30'000};
    // How long to try to retire in the queue, so that tasks need not wait for the leases to expire.
    // Forced: less than the supervisor then waits for its children.
    std::chrono::milliseconds retire_timeout{8'000};
    std::chrono::milliseconds forced_retire_timeout{2'000};
    // Sets the kinds' current capabilities (WorkerInfo::capabilities and advertisements); empty:
    // none.
    std::function<void(queue::WorkerInfo&)> describe{};
};

// Claims tasks, runs them on the device thread and records the results, each step in its own loop
// on one I/O thread. Nothing here blocks on the device. If the database is unavailable, results are
// kept and retried until it responds.
class Worker {
  public:
    Worker(boost::asio::any_io_executor executor, queue::WorkerStore& store, DeviceThread& device,
           Timer& timer, const Random& random, WorkerOptions options = {});

    // Registers and works until drained or abandoned, then retires. True if the device thread is
    // idle and may be joined.
    awaitable<bool> run(queue::WorkerInfo info);

    // Finishes the running task, releases the rest and leaves.
    void drain();
    // Leaves immediately; the running task is asked to stop but not awaited.
    void abandon();

    // Call with each batch that the device thread hands back.
    void finished(std::shared_ptr<Batch> batch);

    // For example, the device broke. Records what it has begun, and leaves.
    void end_because(std::string reason);

    // Why this process must exit with an error after run() returned; nullopt: it left normally.
    const std::optional<std::string>& failure() const { return failure_; }

  private:
    awaitable<void> loops();
    awaitable<void> heartbeats();
    awaitable<void> claims();
    awaitable<void> records();
    awaitable<void> notifications();
    awaitable<void> abandonment();
    awaitable<void> time_limits();

    awaitable<void> register_worker();
    awaitable<void> beat();
    void read_device();
    awaitable<void> until_next_beat();
    awaitable<void> retire();
    awaitable<void> give_up(RunningTasks running);

    awaitable<Result<queue::Claim>> claim_for(queue::WorkerHandle as);
    void start(queue::WorkerHandle as, queue::Claim claim);
    void check_liveness();
    void apply(const queue::HeartbeatReply& reply);
    void clean(std::int64_t request);
    awaitable<void> report_cleaning();
    awaitable<void> record_logs();
    void stop_job(JobId job);
    void lose_leases();
    void renew_capabilities();
    bool took_all_urgent(const queue::Claim& claim) const;
    bool wants_work() const;
    void gather();
    bool may_help() const;
    std::optional<std::int64_t> free_memory();
    bool over() const;
    void wake_all();

    queue::WorkerStore& store_;
    DeviceThread& device_;
    Timer& timer_;
    WorkerOptions options_;
    Backoff retry_;  // of registering and claiming
    Pace pace_;
    Slowness slowness_;
    TimeGuard time_guard_;
    Outage outage_;
    jobs::LogBudget log_budget_;
    Recorder recorder_;

    queue::WorkerInfo info_;
    queue::WorkerHandle handle_;
    Batches outstanding_;                          // claimed, not yet settled
    std::deque<std::shared_ptr<Batch>> finished_;  // handed back by the device thread
    LivenessDetector liveness_;
    queue::WorkerTelemetry telemetry_;
    DeviceLog device_log_;
    std::optional<std::int64_t> free_memory_;  // of memory, at the last reading
    TimePoint free_memory_until_{};
    TimePoint help_from_{};   // earliest next claim from other classes
    TimePoint claim_from_{};  // earliest next claim
    // Of the last claim with tasks: when it began, how long it took, and whether it got several,
    // none of them urgent; and how long the last record took.
    TimePoint claimed_at_{};
    TimePoint::duration claim_took_{};
    TimePoint::duration record_took_{};
    bool claimed_several_ = false;
    TimePoint last_beat_{};
    TimePoint accepted_beat_{};  // or registered: leases live for 15 s from here

    bool must_register_ = true;
    bool had_rival_ = false;      // not registered, or no longer
    bool renewing_ = false;       // the kinds' capabilities have changed: register when idle
    bool device_silent_ = false;  // the device thread is hung
    std::int64_t cleaning_ = 0;   // a request in progress, or whose result has not been sent yet
    std::optional<queue::Freed> freed_;  // that result
    bool claiming_ = false;              // a claim is in progress
    bool draining_ = false;
    bool abandoned_ = false;
    std::optional<std::string> failure_;
    bool leases_lapse_ = false;  // do not retire: let the leases expire

    // Wake-up events, one per loop.
    Event for_heartbeats_;
    Event for_claims_;
    Event for_records_;
    Event for_notifications_;
    Event for_abandonment_;
    Event for_time_limits_;
};

}  // namespace plimsoll::worker
