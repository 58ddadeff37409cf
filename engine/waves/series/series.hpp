#pragma once

#include "engine/zones/zone.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::waves {

// The bars of one symbol, oldest first. Prices are positive and finite, every high is at least the
// low of its bar. All columns have one length; `open` and `close` are for charts and surrogates;
// counts only use lows and highs.
struct Series {
    std::string symbol;
    std::vector<std::int64_t> time;  // seconds since 1970 UTC, strictly rising; empty: no dates
    std::vector<double> open, high, low, close;
    bool close_only = false;  // then the other prices equal the close
    zones::Zone zone;         // of times in reports

    std::size_t size() const { return close.size(); }
    bool has_times_of_day() const;  // false: dates only, or none
    // Sets the zone of times in reports; a date is a date in every zone.
    void tell_times_in(zones::Zone there);
};

}  // namespace plimsoll::waves
