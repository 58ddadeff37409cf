#include "server/postgres/jobs/job_signals.hpp"

#include <algorithm>
#include <charconv>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::postgres {
namespace {

// How long a change is remembered for callers that are reading the job: longer than a read takes.
// It also limits how often a job with many changes is read.
constexpr std::chrono::milliseconds kRecent{100};

}  // namespace

JobSignals::JobSignals(asio::any_io_executor executor, Listener& listener)
    : executor_(std::move(executor)) {
    listener.subscribe({"plimsoll_job", [this](std::string_view payload) { notified(payload); },
                        [this] { wake_all(); }});
}

queue::awaitable<void> JobSignals::changed(JobId id, Clock::time_point deadline) {
    forget_old();
    if (const auto found = recent_.find(id); found != recent_.end()) {
        deadline = std::min(deadline, found->second + kRecent);
    }
    co_await wait(id, deadline);
}

queue::awaitable<void> JobSignals::changed_since(JobId id, Clock::time_point since,
                                                 Clock::time_point deadline) {
    const auto found = recent_.find(id);
    if (found == recent_.end() || found->second < since) co_await wait(id, deadline);
}

queue::awaitable<void> JobSignals::wait(JobId id, Clock::time_point deadline) {
    auto timer = std::make_shared<asio::steady_timer>(executor_, deadline);
    const auto place = waiters_->emplace(id, timer);
    // Removed from the list however the wait ends, even by a cancelled caller.
    const std::shared_ptr<void> leave(
        nullptr, [waiters = waiters_, place](void*) { waiters->erase(place); });
    co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
}

// An old change must not end a wait: callers would read the job again and again.
void JobSignals::forget_old() {
    const auto now = Clock::now();
    while (!recent_order_.empty() && recent_order_.front().first + kRecent <= now) {
        const auto [at, id] = recent_order_.front();
        recent_order_.pop_front();
        if (const auto found = recent_.find(id); found != recent_.end() && found->second == at) {
            recent_.erase(found);
        }
    }
}

// The payload is a list of ids, separated by commas.
void JobSignals::notified(std::string_view payload) {
    forget_old();
    const auto now = Clock::now();
    const char* at = payload.data();
    const char* const end = at + payload.size();
    while (at < end) {
        JobId id;
        const auto [next, error] = std::from_chars(at, end, id.value);
        if (error != std::errc()) return;
        recent_[id] = now;
        recent_order_.emplace_back(now, id);
        wake(id);
        at = next + 1;
    }
}

void JobSignals::wake(JobId id) {
    const auto [first, last] = waiters_->equal_range(id);
    for (auto it = first; it != last; ++it) it->second->cancel();
}

void JobSignals::wake_all() {
    for (auto& [id, timer] : *waiters_) timer->cancel();
}

}  // namespace plimsoll::postgres
