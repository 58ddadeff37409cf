#pragma once

#include "server/postgres/pool/listener.hpp"
#include "server/queue/store.hpp"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace plimsoll::postgres {

// Forwards notifications of plimsoll_job to callers waiting for those jobs.
class JobSignals final : public queue::JobSignals {
  public:
    // Subscribes; `listener` must not be started yet, and must be stopped before this is destroyed.
    JobSignals(asio::any_io_executor executor, Listener& listener);

    // A change shortly before the call also ends the wait: it may have happened between the
    // caller's read of the job and this call.
    queue::awaitable<void> changed(JobId id,
                                   std::chrono::steady_clock::time_point deadline) override;
    queue::awaitable<void> changed_since(JobId id, std::chrono::steady_clock::time_point since,
                                         std::chrono::steady_clock::time_point deadline) override;

  private:
    using Clock = std::chrono::steady_clock;

    queue::awaitable<void> wait(JobId id, Clock::time_point deadline);

    void forget_old();
    void notified(std::string_view payload);
    void wake(JobId id);
    void wake_all();

    // Shared with waiting calls, whose frames may be destroyed later.
    using Waiters = std::multimap<JobId, std::shared_ptr<asio::steady_timer>>;

    asio::any_io_executor executor_;
    std::shared_ptr<Waiters> waiters_ = std::make_shared<Waiters>();
    std::map<JobId, Clock::time_point> recent_;
    std::deque<std::pair<Clock::time_point, JobId>> recent_order_;
};

}  // namespace plimsoll::postgres
