#pragma once

#include "engine/market/calendar.hpp"

#include <optional>
#include <vector>

namespace plimsoll::market {

// A time that is not as the calendar says: [begin, end) in seconds since 1970 UTC.
struct Override {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    Status status = Status::closed;
};

struct ClockRules {
    Calendar calendar;
    // A livelier state goes on for so long after its end: regular trading after the close, any
    // session before closed.
    std::int64_t hold_seconds = 0;
    std::vector<Override> overrides;  // a later one wins
    std::optional<Status> always;     // whatever the rest says
};

// What counts as the state of a market: a calendar and what was decided differently. For any
// thread.
class Clock {
  public:
    explicit Clock(ClockRules rules) : rules_(std::move(rules)) {}

    // As of Calendar.
    Result<Span> at(std::int64_t seconds) const;
    Result<std::vector<Span>> spans(std::int64_t from, std::int64_t until) const;

  private:
    ClockRules rules_;
};

}  // namespace plimsoll::market
