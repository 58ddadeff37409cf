#pragma once

#include "engine/base/result.hpp"
#include "engine/base/words.hpp"
#include "engine/zones/zone.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::market {

enum class Status { pre_market, regular, after_hours, closed };

inline constexpr Word<Status> kStatuses[] = {{"pre_market", Status::pre_market},
                                             {"regular", Status::regular},
                                             {"after_hours", Status::after_hours},
                                             {"closed", Status::closed}};
constexpr std::span<const Word<Status>> words_of(Status) { return kStatuses; }
using plimsoll::to_string;

using Date = std::chrono::year_month_day;

// Times of a trading day, in minutes after local midnight, 0 to 1440, in ascending order. If two
// are equal, that session does not exist.
struct Hours {
    int pre_market = 0;  // begins
    int open = 0;
    int close = 0;
    int end = 0;  // of after hours
    bool operator==(const Hours&) const = default;
};

// A day that differs from its weekday.
struct SpecialDay {
    Date date;
    std::string name;  // "Thanksgiving"
    bool closed = true;
    Hours hours = {};  // unless it is closed
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

// A period in one state: [begin, end) in seconds since 1970 UTC.
struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    Status status = Status::closed;
    bool operator==(const Span&) const = default;
};

// The trading hours of an exchange. Immutable, for any thread.
class Calendar {
  public:
    explicit Calendar(CalendarRules rules);

    const CalendarRules& rules() const { return rules_; }

    // The period that it covers: [first, last) in seconds since 1970 UTC.
    std::int64_t first() const { return first_; }
    std::int64_t last() const { return last_; }

    // The state at a time and how long it lasts. Errc::invalid_input outside the covered period.
    Result<Span> at(std::int64_t seconds) const;

    // The states of [from, until), one after the other; the first and the last are whole, too.
    Result<std::vector<Span>> spans(std::int64_t from, std::int64_t until) const;

    // The exception of that day, or none.
    const SpecialDay* special(Date date) const;

  private:
    void add_sessions(std::chrono::local_days day, std::vector<Span>& to) const;

    CalendarRules rules_;
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
};

}  // namespace plimsoll::market
