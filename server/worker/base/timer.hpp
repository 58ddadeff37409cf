#pragma once

#include <chrono>

#include <boost/asio/awaitable.hpp>

namespace plimsoll::worker {

using boost::asio::awaitable;
using TimePoint = std::chrono::steady_clock::time_point;

// The time of the machine's own steady clock: pauses and patience, never the validity of a lease,
// which is the database's to judge. Tests replace it and move it by hand.
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
