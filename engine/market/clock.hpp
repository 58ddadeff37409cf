#pragma once

#include "engine/market/calendar.hpp"

#include <optional>
#include <vector>

namespace plimsoll::market {

// An override of the calendar: [begin, end) in seconds since 1970 UTC.
struct Override {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    Status status = Status::closed;
};

struct ClockRules {
    Calendar calendar;
    // How long a more active state continues after its end: regular trading after the close, any
    // session before closed.
    std::int64_t hold_seconds = 0;
    std::vector<Override> overrides;  // the later one wins
    std::optional<Status> always;     // regardless of the calendar
};

// The effective state of a market: a calendar with overrides. For any thread.
class Clock {
  public:
    explicit Clock(ClockRules rules) : rules_(std::move(rules)) {}

    // As in Calendar.
    Result<Span> at(std::int64_t seconds) const;
    Result<std::vector<Span>> spans(std::int64_t from, std::int64_t until) const;
    bool is_overridden() const { return rules_.always.has_value(); }

  private:
    ClockRules rules_;
};

}  // namespace plimsoll::market
