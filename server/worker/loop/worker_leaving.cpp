// How a worker leaves: on request, or because its task or its device has failed.
#include "server/base/log.hpp"
#include "server/worker/loop/worker.hpp"

#include <algorithm>
#include <string>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plimsoll::worker {

using namespace boost::asio::experimental::awaitable_operators;

void Worker::drain() {
    draining_ = true;
    device_.hold();
    wake_all();
}

void Worker::abandon() {
    abandoned_ = true;
    drain();
    for (const auto& batch : outstanding_)
        for (const auto& slot : batch->slots) slot->stop.request_stop();
}

awaitable<void> Worker::abandonment() {
    while (!draining_) co_await for_abandonment_.wait();
    const auto limit = timer_.now() + options_.drain;
    while (!abandoned_ && timer_.now() < limit)
        co_await (timer_.sleep_until(limit) || for_abandonment_.wait());
    if (abandoned_) co_return;
    log::warn("drain took too long: exiting", {{"batches", std::to_string(outstanding_.size())}});
    abandon();
}

awaitable<void> Worker::retire() {
    if (must_register_ || leases_lapse_) co_return;
    const auto limit =
        timer_.now() + (abandoned_ ? options_.forced_retire_timeout : options_.retire_timeout);
    const auto left = co_await (store_.retire(handle_) || timer_.sleep_until(limit));
    const auto* answer = std::get_if<Result<void>>(&left);
    if (answer != nullptr && *answer)
        log::info("retired");
    else
        log::warn("exited without deregistering: the worker's leases will expire");
}

// --- failures that end the process ---

void Worker::end_because(std::string reason) {
    if (failure_) return;
    log::error("exiting", {{"device", info_.device}, {"reason", reason}});
    failure_ = std::move(reason);
    drain();
}

awaitable<void> Worker::time_limits() {
    // The host has no runaway kernels, and its tasks check whether to stop.
    if (info_.device_class == "host") co_return;
    while (!over()) {
        co_await (timer_.sleep_until(timer_.now() + kLivenessInterval) || for_time_limits_.wait());
        const auto running = device_.running();
        auto reason = time_guard_.check(running, timer_.now());
        if (!reason || failure_) continue;
        failure_ = std::move(*reason);
        co_await give_up(*running);
        abandon();
    }
}

// Reported to the queue by the worker itself, since nobody else knows the reason. Tasks of the
// batch that are done are recorded, waiting ones are returned on retirement. If tasks ran together,
// it is unknown which one failed: each runs alone the next time.
awaitable<void> Worker::give_up(RunningTasks running) {
    const auto* const first = running.slots.front();
    const auto held = std::ranges::find_if(outstanding_, [&](const auto& batch) {
        return std::ranges::any_of(batch->slots,
                                   [&](const auto& one) { return one.get() == first; });
    });
    if (held == outstanding_.end() || (*held)->lost || must_register_) co_return;
    const auto batch = *held;
    const std::chrono::duration<double> ran = time_guard_.allowed(running);
    std::vector<queue::TaskReport> deaths;
    for (const auto* slot : running.slots) {
        log::error("task ran too long: exiting", {{"job", to_public(slot->task.job)},
                                                  {"task", std::to_string(slot->task.seq)},
                                                  {"attempt", std::to_string(slot->task.attempt)},
                                                  {"reason", *failure_}});
        deaths.push_back(report_death(slot->task, *failure_,
                                      ran.count() / static_cast<double>(running.slots.size())));
    }
    const auto limit = timer_.now() + options_.retire_timeout;
    const auto told = co_await (store_.complete(batch->worker, batch->fence, std::move(deaths)) ||
                                timer_.sleep_until(limit));
    const auto* answer = std::get_if<Result<queue::Acceptance>>(&told);
    // If released, it would run away again without counting as a death: it expires with the lease
    // instead.
    leases_lapse_ = answer == nullptr || !*answer;
    auto done = device_.take_reports(*batch);
    if (leases_lapse_ || done.empty()) co_return;
    co_await (store_.complete(batch->worker, batch->fence, std::move(done)) ||
              timer_.sleep_until(limit));
}

}  // namespace plimsoll::worker
