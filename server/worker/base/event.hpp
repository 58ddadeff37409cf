#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::worker {

// An auto-reset event: a signal is kept until the waiter consumes it, so that a change between
// checking and waiting is not lost. One waiter, single-threaded.
class Event {
  public:
    explicit Event(const boost::asio::any_io_executor& executor);
    void set();
    boost::asio::awaitable<void> wait();

  private:
    boost::asio::steady_timer timer_;  // never expires; cancelled to wake the waiter
    bool set_ = false;
};

}  // namespace plimsoll::worker
