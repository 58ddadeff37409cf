#pragma once

#include "engine/waves/scan/starts.hpp"

namespace plimsoll::waves {

// Where a search of one series goes: its windows, and the starts of rising and falling patterns
// in the order of windows and bars.
struct Itinerary {
    std::vector<Window> windows;
    std::vector<Start> rising, falling;
    std::uint64_t quiet_windows = 0;    // left out as too flat or not volatile enough
    std::uint64_t filtered_starts = 0;  // left out by their pre-score
    bool all_windows = true;            // max_windows cut none off

    const std::vector<Start>& starts(bool up) const { return up ? rising : falling; }
    std::int32_t longest_window() const;  // in bars
};

// `table` is that of the series' bars. `week`: bars a week.
Itinerary make_itinerary(const BarTable& table, std::span<const double> closes, double week,
                         const Settings& settings);

}  // namespace plimsoll::waves
