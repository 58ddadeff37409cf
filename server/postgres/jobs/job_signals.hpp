#pragma once

#include "server/postgres/pool/listener.hpp"
#include "server/queue/store.hpp"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace plimsoll::postgres {

// Hands the notifications of plimsoll_job to whoever waits for those jobs.
class JobSignals final : public queue::JobSignals {
  public:
    // Subscribes; `listener` is not started yet and is stopped before this goes away.
    JobSignals(asio::any_io_executor executor, Listener& listener);

    // A change in the last moments before the call ends the wait shortly after: it may have come
    // between the caller's look at the job and this call.
    queue::awaitable<void> changed(JobId id,
                                   std::chrono::steady_clock::time_point deadline) override;

  private:
    using Clock = std::chrono::steady_clock;

    void notified(std::string_view payload);
    void wake(JobId id);
    void wake_all();

    // Shared with the calls that wait: their frames may be destroyed after this.
    using Waiters = std::multimap<JobId, std::shared_ptr<asio::steady_timer>>;

    asio::any_io_executor executor_;
    std::shared_ptr<Waiters> waiters_ = std::make_shared<Waiters>();
    std::map<JobId, Clock::time_point> recent_;
    std::deque<std::pair<Clock::time_point, JobId>> recent_order_;
};

}  // namespace plimsoll::postgres
