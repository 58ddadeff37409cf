#pragma once

#include "server/base/awaitable.hpp"

#include <chrono>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::worker {

using TimePoint = std::chrono::steady_clock::time_point;

// The local steady clock, for pauses and timeouts. The validity of leases is decided by the
// database's clock. Tests substitute a manual timer.
class Timer {
  public:
    virtual ~Timer() = default;
    virtual TimePoint now() const = 0;
    virtual awaitable<void> sleep_until(TimePoint until) = 0;
};

class SteadyTimer final : public Timer {
  public:
    TimePoint now() const override;
    awaitable<void> sleep_until(TimePoint until) override;
};

// An auto-reset event: a signal is kept until the waiter consumes it, so that a change between
// checking and waiting is not lost. One waiter, single-threaded.
//
// A cancelled wait consumes nothing and returns: beside another one (a || b) it is cancelled at
// every turn of a loop, and an exception would take longer than the turn. What a cancelled
// coroutine awaits next throws, which ends it.
class Event {
  public:
    explicit Event(const boost::asio::any_io_executor& executor);
    void set();
    awaitable<void> wait();

  private:
    boost::asio::steady_timer timer_;  // never expires; cancelled to wake the waiter
    bool set_ = false;
};

}  // namespace plimsoll::worker
