#pragma once

#include "engine/zones/period.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace plimsoll::zones {

// The yearly day and time of an offset change, as POSIX.1 writes it in TZ.
struct YearlyChange {
    enum class Day {
        of_year_without_leap_day,  // Jn, 1 … 365: February 29 is never counted
        of_year,                   // n, 0 … 365: it is
        of_month  // Mm.w.d: the w-th (5: the last) weekday d (0: Sunday) of month m
    };
    Day kind = Day::of_month;
    int day = 0;
    int month = 0;
    int week = 0;
    std::int64_t time = 7'200;  // seconds after midnight, local time before the change

    // Seconds from 1970-01-01 00:00 to the change in that year (1 … 9999), same local time.
    std::int64_t in(int year) const;
};

// The recurring rule for offsets, in the syntax of the environment variable TZ (POSIX.1-2017, Base
// Definitions 8.3), with the names in angle brackets and with the times from -167 to 167 hours of
// RFC 8536, 3.3.1: "CET-1CEST,M3.5.0,M10.5.0/3", "<+03>-3".
class PosixRule {
  public:
    // None: malformed. So is a summer time without dates, whose begin POSIX leaves to the
    // implementation.
    static std::optional<PosixRule> parse(std::string_view text);

    Period period(std::int64_t at) const;

  private:
    struct Summer {
        std::int64_t offset = 0;  // seconds east of UTC; may be behind standard time, as in Ireland
        YearlyChange from, until;
    };
    std::int64_t standard_ = 0;  // seconds east of UTC
    std::optional<Summer> summer_;
};

}  // namespace plimsoll::zones
