#pragma once

#include "engine/zones/zone.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

// Removes the first `count` bars (all, if there are fewer).
void drop_leading_bars(std::size_t count, Series& series);

// The index of the bar given by a number, counted from 0, or a date; dates without a zone are in
// the series' zone. None: neither a number nor a bar's date. Numbers are not checked against the
// series.
std::optional<std::int32_t> bar_named(const Series& series, std::string_view name);

}  // namespace plimsoll::waves
