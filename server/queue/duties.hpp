#pragma once

#include "server/queue/duty_store.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::queue {

struct DutyOptions {
    int keep_days = 30;         // jobs, with their texts and results
    int keep_usage_days = 400;  // a year, and the month before
    int keep_audit_days = 400;
    int keep_identity_days = 30;  // sessions and links after their end
};

// Runs the background duties of one `serve`, each at its own interval. Any number of servers may do
// so. A failed duty is retried at its next tick. Single-threaded, on the executor.
class Duties {
  public:
    // Called after every run of a duty, for tests and metrics.
    using Observer = std::function<void(std::string_view duty, const Result<int>& done)>;

    Duties(boost::asio::any_io_executor executor, DutyStore& store, DutyOptions options,
           Observer observer = {});
    ~Duties();

    void start();
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::queue
