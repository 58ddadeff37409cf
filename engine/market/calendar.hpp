#pragma once

#include "engine/base/result.hpp"
#include "engine/market/status.hpp"
#include "engine/zones/zone.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::market {

using Date = std::chrono::year_month_day;

// Of a trading day, in minutes after local midnight, 0 to 1440, none before the one above it. Equal
// ones: there is no such session.
struct Hours {
    int pre_market = 0;  // begins
    int open = 0;
    int close = 0;
    int end = 0;  // of after hours
    bool operator==(const Hours&) const = default;
};

// A day that is not as its weekday says.
struct SpecialDay {
    Date date;
    std::string name;  // "Thanksgiving"
    bool closed = true;
    Hours hours = {};  // where it is not closed
};

struct CalendarRules {
    std::string name;
    zones::Zone zone;
    Hours hours;
    std::array<bool, 7> weekdays = {};  // that are trading days, from Sunday
    std::vector<SpecialDay> special;    // by date, each once
    int first_year = 1990;
    int last_year = 2040;
};

// A time of one state: [begin, end) in seconds since 1970 UTC.
struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    Status status = Status::closed;
    bool operator==(const Span&) const = default;
};

// When an exchange trades. Immutable, for any thread.
class Calendar {
  public:
    explicit Calendar(CalendarRules rules);

    const CalendarRules& rules() const { return rules_; }

    // The moments that it knows: [first, last) in seconds since 1970 UTC.
    std::int64_t first() const { return first_; }
    std::int64_t last() const { return last_; }

    // The state at a moment and how long it holds. Errc::invalid_input outside of the known
    // moments.
    Result<Span> at(std::int64_t seconds) const;

    // The states of [from, until), one after the other; the first and the last are whole, too.
    Result<std::vector<Span>> spans(std::int64_t from, std::int64_t until) const;

    // The day that differs from its weekday, or none.
    const SpecialDay* special(Date date) const;

  private:
    void add_sessions(std::chrono::local_days day, std::vector<Span>& to) const;

    CalendarRules rules_;
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
};

}  // namespace plimsoll::market
