#pragma once

#include "server/schedules/store.hpp"

#include <memory>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::schedules {

// The duty of `serve` that handles due times. Any number of servers may run it, and any may die at
// any moment: each due time is handled exactly once, in one transaction. Single-threaded, on the
// executor.
class Runner {
  public:
    // The arguments must outlive it.
    Runner(boost::asio::any_io_executor executor, DueTimes& due_times, planning::Planner& planner);
    ~Runner();

    void start();
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::schedules
