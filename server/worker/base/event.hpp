#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::worker {

// "Something changed, look again": remembered until one waiter has seen it, so that a change
// between a look and the wait is not lost. For one waiter, on the executor's one thread.
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
