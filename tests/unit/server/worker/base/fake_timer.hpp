#pragma once

#include "server/worker/base/timer.hpp"

#include <algorithm>
#include <list>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::worker {

// Time that stands still until a test moves it.
class FakeTimer final : public Timer {
  public:
    TimePoint now() const override { return now_; }

    awaitable<void> sleep_until(TimePoint until) override {
        namespace asio = boost::asio;
        asio::steady_timer wake(co_await asio::this_coro::executor,
                                asio::steady_timer::time_point::max());
        const auto sleeper = sleepers_.insert(sleepers_.end(), {until, &wake});
        const Forget forget{sleepers_, sleeper};
        while (now_ < until) co_await wake.async_wait(asio::as_tuple(asio::use_awaitable));
    }

    void advance(std::chrono::milliseconds by) { move_to(now_ + by); }

    // To the moment when the next sleeper wakes. False when there is no sleeper.
    bool advance_to_next() {
        const auto next = std::ranges::min_element(sleepers_, {}, &Sleeper::until);
        if (next == sleepers_.end()) return false;
        move_to(std::max(now_, next->until));
        return true;
    }

  private:
    struct Sleeper {
        TimePoint until;
        boost::asio::steady_timer* wake;
    };
    using Sleepers = std::list<Sleeper>;
    struct Forget {
        Sleepers& sleepers;
        Sleepers::iterator sleeper;
        ~Forget() { sleepers.erase(sleeper); }
    };

    void move_to(TimePoint to) {
        now_ = to;
        for (auto& sleeper : sleepers_)
            if (sleeper.until <= now_) sleeper.wake->cancel();
    }

    TimePoint now_ = TimePoint{} + std::chrono::hours(1);
    Sleepers sleepers_;
};

}  // namespace plimsoll::worker
