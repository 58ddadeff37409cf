#pragma once

#include <chrono>

#include <boost/asio/awaitable.hpp>

namespace plimsoll::worker {

using boost::asio::awaitable;
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

}  // namespace plimsoll::worker
