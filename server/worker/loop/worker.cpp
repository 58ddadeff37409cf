#include "server/worker/loop/worker.hpp"

#include "engine/telemetry/json.hpp"
#include "server/base/log.hpp"
#include "server/worker/loop/recorder.hpp"
#include "server/worker/loop/task_spans.hpp"

#include <algorithm>
#include <exception>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plimsoll::worker {

using namespace boost::asio::experimental::awaitable_operators;

namespace {

constexpr std::chrono::milliseconds kFirstRetry{100};
constexpr std::chrono::milliseconds kLongestRetry{2000};
// While the database is unavailable, so that the leases are still alive at its first response.
constexpr std::chrono::milliseconds kHeartbeatRetry{1000};
constexpr std::chrono::milliseconds kPreparingEnds{2000};

}  // namespace

Worker::Worker(boost::asio::any_io_executor executor, queue::WorkerStore& store,
               DeviceThread& device, Timer& timer, const Random& random, WorkerOptions options)
    : store_(store),
      device_(device),
      timer_(timer),
      options_(options),
      retry_(kFirstRetry, kLongestRetry, random),
      pace_({.seconds = options.claim_seconds,
             .fewest_tasks = options.fewest_tasks,
             .max_tasks = options.max_tasks}),
      recorder_(store, timer, outage_, random),
      liveness_(kLivenessTimeout, options.wait),
      device_log_(options.log_readings),
      for_heartbeats_(executor),
      for_claims_(executor),
      for_records_(executor),
      for_notifications_(executor),
      for_abandonment_(executor),
      for_time_limits_(executor) {}

awaitable<bool> Worker::run(queue::WorkerInfo info) {
    info_ = std::move(info);
    info_.last_exit = options_.last_exit;
    info_.died = options_.died;
    if (options_.describe) options_.describe(info_);
    co_await (loops() || abandonment());
    co_await retire();
    // It was told to stop when the worker began to leave.
    const auto limit = timer_.now() + kPreparingEnds;
    while (device_.pulse().preparing && timer_.now() < limit)
        co_await timer_.sleep_until(timer_.now() + kLivenessInterval);
    co_return !device_.pulse().busy;
}

awaitable<void> Worker::loops() {
    try {
        co_await (heartbeats() && claims() && records() && notifications() && time_limits());
    } catch (const std::exception& e) {
        if (abandoned_) co_return;  // cancelled on purpose
        log::error("worker loop failed", {{"reason", e.what()}});
        abandon();
    }
}

bool Worker::over() const {
    return abandoned_ || (draining_ && !claiming_ && outstanding_.empty());
}

void Worker::wake_all() {
    for_heartbeats_.set();
    for_claims_.set();
    for_records_.set();
    for_notifications_.set();
    for_abandonment_.set();
    for_time_limits_.set();
}

// --- registration and heartbeats ---

awaitable<void> Worker::heartbeats() {
    while (!over()) {
        if (must_register_) {
            co_await register_worker();
        } else {
            co_await until_next_beat();
            if (!must_register_ && !over()) co_await beat();
        }
    }
}

awaitable<void> Worker::register_worker() {
    auto handle = co_await store_.register_worker(info_);
    if (!handle) {
        // Log a rival, or a newer schema, only once; when it leaves, the device is free.
        const bool rival =
            handle.error().code == Errc::conflict || handle.error().code == Errc::corrupt;
        if (!(rival && had_rival_) && !outage_.begins_with(handle.error())) {
            log::error("not registered",
                       {{"device", info_.device}, {"reason", handle.error().message}});
        }
        had_rival_ = rival;
        co_await (timer_.sleep_until(timer_.now() + retry_.next()) || for_heartbeats_.wait());
        co_return;
    }
    outage_.ends();
    retry_.reset();
    info_.died.reset();  // from now on it is this process that registers again
    had_rival_ = false;
    handle_ = *handle;
    must_register_ = false;
    last_beat_ = accepted_beat_ = timer_.now();
    log::info("registered", {{"device", info_.device},
                             {"class", info_.device_class},
                             {"worker", std::to_string(handle_.id)},
                             {"epoch", std::to_string(handle_.epoch)}});
    for_claims_.set();
    for_notifications_.set();
}

awaitable<void> Worker::until_next_beat() {
    const auto due = last_beat_ + (outage_.is_on() ? kHeartbeatRetry : options_.heartbeat);
    const auto earliest = last_beat_ + options_.early_heartbeat;
    bool wanted = false;
    while (!over() && !must_register_ && timer_.now() < (wanted ? earliest : due)) {
        const auto next_look = timer_.now() + kLivenessInterval;
        const auto woken =
            co_await (timer_.sleep_until(std::min(wanted ? earliest : due, next_look)) ||
                      for_heartbeats_.wait());
        const bool was_silent = device_silent_;
        check_liveness();
        wanted = wanted || woken.index() == 1 || (was_silent && !device_silent_);
    }
}

// More often than heartbeats are sent, so that a hang stops them immediately: with the lease and
// the duty that ends it, the work runs elsewhere within 20 s.
void Worker::check_liveness() {
    const bool alive = liveness_.is_alive(device_.pulse(), timer_.now());
    if (alive != device_silent_) return;
    device_silent_ = !alive;
    if (alive)
        log::info("device thread is alive again");
    else
        log::warn("device thread is not responding: heartbeats stop until it does");
    for_claims_.set();
}

awaitable<void> Worker::beat() {
    last_beat_ = timer_.now();
    check_liveness();
    if (device_silent_) co_return;
    read_device();
    const auto reply = co_await store_.heartbeat(handle_, items_done(outstanding_), telemetry_);
    if (reply) {
        outage_.ends();
        apply(*reply);
    } else if (is_gone(reply.error())) {
        lose_leases();
    } else if (reply.error().code == Errc::corrupt) {
        end_because(reply.error().message);
    } else if (!outage_.begins_with(reply.error())) {
        log::error("heartbeat refused", {{"reason", reply.error().message}});
    }
    if (freed_) co_await report_cleaning();
    if (reply) co_await record_logs();
    renew_capabilities();
}

// What running tasks have said by now. A failure costs nothing: it is sent again.
awaitable<void> Worker::record_logs() {
    const auto batches = outstanding_;
    for (const auto& batch : batches) {
        if (batch->lost || batch->worker.epoch != handle_.epoch) continue;
        auto said = unsent_lines(*batch);
        if (said.empty() || !co_await store_.record_log(handle_, batch->fence, said)) continue;
        for (const auto& task : said) {
            for (const auto& slot : batch->slots)
                if (slot->task.job == task.job && slot->task.seq == task.seq)
                    slot->log.mark_sent(task.lines.back().number);
        }
    }
}

// For example, a model was added. Registering voids leases, so claimed work ends first.
void Worker::renew_capabilities() {
    if (!options_.describe) return;
    auto now = info_;
    options_.describe(now);
    renewing_ =
        now.capabilities != info_.capabilities || now.advertisements != info_.advertisements;
    if (!renewing_ || !outstanding_.empty() || claiming_) return;
    info_ = std::move(now);
    renewing_ = false;
    must_register_ = true;
}

// A request is repeated with each heartbeat until it is answered: a lost answer costs another
// cleanup.
void Worker::clean(std::int64_t request) {
    if (request == 0 || cleaning_ != 0) return;
    cleaning_ = request;
    device_.clean([this](queue::Freed freed) {
        freed_ = freed;
        for_heartbeats_.set();
    });
}

awaitable<void> Worker::report_cleaning() {
    const auto freed = *std::exchange(freed_, std::nullopt);
    const auto request = std::exchange(cleaning_, 0);
    const auto told = co_await store_.report_cleanup(handle_, request, freed);
    if (!told && !outage_.begins_with(told.error()))
        log::error("cannot report freed memory", {{"reason", told.error().message}});
}

void Worker::read_device() {
    telemetry_.device.clear();
    if (const auto snapshot = device_.snapshot()) {
        telemetry_.device = telemetry::to_json(*snapshot);
        device_log_.tell(info_.device, *snapshot);
    }
}

void Worker::apply(const queue::HeartbeatReply& reply) {
    if (reply.expired) {
        if (timer_.now() - accepted_beat_ < 2 * options_.heartbeat)
            log::error("another worker on this machine took over this device");
        lose_leases();
    } else {
        accepted_beat_ = timer_.now();
    }
    for (const auto job : reply.cancelled) stop_job(job);
    clean(reply.cleanup);
}

void Worker::stop_job(JobId job) {
    for (const auto& batch : outstanding_) {
        for (const auto& slot : batch->slots)
            if (slot->task.job == job) slot->stop.request_stop();
    }
}

void Worker::lose_leases() {
    log::warn("leases lost: registering again", {{"batches", std::to_string(outstanding_.size())}});
    for (const auto& batch : outstanding_) {
        batch->lost = true;
        for (const auto& slot : batch->slots) slot->stop.request_stop();
    }
    must_register_ = true;
    for_heartbeats_.set();
}

// --- work: claims (claims.cpp) and their outcomes ---

void Worker::finished(std::shared_ptr<Batch> batch) {
    pace_.learn(*batch);
    time_guard_.learn(*batch);
    slowness_.learn(*batch, info_.helps);
    telemetry_.slowness = slowness_.by_kind();
    finished_.push_back(std::move(batch));
    for_records_.set();
}

awaitable<void> Worker::records() {
    while (!over()) {
        if (finished_.empty()) {
            co_await for_records_.wait();
            continue;
        }
        const auto batch = finished_.front();
        finished_.pop_front();
        const auto start_at = timer_.now();
        const bool settled = co_await recorder_.settle(*batch);
        record_took_ = timer_.now() - start_at;
        std::erase(outstanding_, batch);
        if (settled)
            count_settled(telemetry_, *batch), record_spans(*batch, info_);
        else
            lose_leases();
        for_claims_.set();
    }
    wake_all();
}

awaitable<void> Worker::notifications() {
    while (!over()) {
        if (must_register_) {
            co_await for_notifications_.wait();
            continue;
        }
        const auto deadline = timer_.now() + options_.poll;
        const auto woken = co_await (store_.wake(handle_, deadline) || for_notifications_.wait());
        const auto* called = std::get_if<bool>(&woken);
        if (called != nullptr && timer_.now() < deadline) gather();
        for_claims_.set();
        // Before the deadline it may announce a cancellation, which the heartbeat's reply names.
        // Whichever of the two returned, the other may have consumed a notification.
        if (timer_.now() < deadline && (!outstanding_.empty() || (called != nullptr && *called)))
            for_heartbeats_.set();
    }
}

}  // namespace plimsoll::worker
