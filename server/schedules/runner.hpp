#pragma once

#include "server/schedules/store.hpp"

#include <memory>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::schedules {

// The duty of one `serve` that answers due times. Any number of servers may run it, and each may
// die at any moment: a due time is answered in one transaction, once. On the executor's one thread.
class Runner {
  public:
    // What it is given must outlive it.
    Runner(boost::asio::any_io_executor executor, DueTimes& due_times, planning::Planner& planner);
    ~Runner();

    void start();
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::schedules
