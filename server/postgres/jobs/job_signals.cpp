#include "server/postgres/pool/listener.hpp"
#include "server/postgres/stores.hpp"
#include "server/queue/store.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <memory>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::postgres {
namespace {

// For callers that are reading the job: longer than a read takes on a busy server.
constexpr std::chrono::seconds kRemembered{2};
// Limits how often a job with many changes is read.
constexpr std::chrono::milliseconds kRecent{100};
// Waits end at the next of 50 moments a second, so that a thousand callers read their jobs in few
// shared rounds, and none of these delays others for long.
using Moments = std::chrono::duration<std::int64_t, std::ratio<1, 50>>;

// Forwards notifications of plimsoll_job to callers waiting for those jobs.
class JobSignals final : public queue::JobSignals {
  public:
    using Clock = std::chrono::steady_clock;

    // Subscribes; `listener` must not be started yet, and must be stopped before this is destroyed.
    JobSignals(asio::any_io_executor executor, Listener& listener)
        : executor_(std::move(executor)) {
        listener.subscribe({"plimsoll_job", [this](std::string_view payload) { notified(payload); },
                            [this] { wake_all(); }});
    }

    // A change shortly before the call also ends the wait: it may have happened between the
    // caller's read of the job and this call. An old one must not: callers would read the job
    // again and again.
    awaitable<void> changed(JobId id, Clock::time_point deadline) override {
        if (const auto found = recent_.find(id);
            found != recent_.end() && Clock::now() < found->second + kRecent)
            deadline = std::min(deadline, found->second + kRecent);
        co_await wait(id, deadline);
    }

    awaitable<void> changed_since(JobId id, Clock::time_point since,
                                  Clock::time_point deadline) override {
        const auto found = recent_.find(id);
        if (found == recent_.end() || found->second < since) co_await wait(id, deadline);
    }

  private:
    awaitable<void> wait(JobId id, Clock::time_point deadline) {
        const auto end = std::chrono::ceil<Moments>(deadline);
        auto timer = std::make_shared<asio::steady_timer>(executor_, end);
        const auto place = waiters_->emplace(id, timer);
        // Removed from the list however the wait ends, even by a cancelled caller.
        const std::shared_ptr<void> leave(
            nullptr, [waiters = waiters_, place](void*) { waiters->erase(place); });
        co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
    }

    void forget_old(Clock::time_point now) {
        while (!recent_order_.empty() && recent_order_.front().first + kRemembered <= now) {
            const auto [at, id] = recent_order_.front();
            recent_order_.pop_front();
            if (const auto found = recent_.find(id); found != recent_.end() && found->second == at)
                recent_.erase(found);
        }
    }

    // The payload is a list of ids, separated by commas.
    void notified(std::string_view payload) {
        const auto now = Clock::now();
        forget_old(now);
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

    void wake(JobId id) {
        const auto [first, last] = waiters_->equal_range(id);
        for (auto it = first; it != last; ++it) it->second->cancel();
    }

    void wake_all() {
        for (auto& [id, timer] : *waiters_) timer->cancel();
    }

    // Shared with waiting calls, whose frames may be destroyed later.
    using Waiters = std::multimap<JobId, std::shared_ptr<asio::steady_timer>>;
    asio::any_io_executor executor_;
    std::shared_ptr<Waiters> waiters_ = std::make_shared<Waiters>();
    std::map<JobId, Clock::time_point> recent_;
    std::deque<std::pair<Clock::time_point, JobId>> recent_order_;
};

}  // namespace

std::unique_ptr<queue::JobSignals> make_job_signals(asio::any_io_executor executor,
                                                    Listener& listener) {
    return std::make_unique<JobSignals>(std::move(executor), listener);
}

}  // namespace plimsoll::postgres
