#pragma once

#include "engine/waves/scan/starts.hpp"

namespace plimsoll::waves {

// The windows of a search of one series, and the starts of rising and falling patterns, ordered by
// window and bar.
struct Itinerary {
    std::vector<Window> windows;
    std::vector<Start> rising, falling;
    std::uint64_t quiet_windows = 0;    // skipped as too flat or not volatile enough
    std::uint64_t filtered_starts = 0;  // skipped by pre-score
    bool all_windows = true;            // max_windows cut none off

    const std::vector<Start>& starts(bool up) const { return up ? rising : falling; }
    std::int32_t longest_window() const;  // in bars
};

// `table` is built from the series' bars. `week`: bars per week.
Itinerary make_itinerary(const BarTable& table, std::span<const double> closes, double week,
                         const Settings& settings);

}  // namespace plimsoll::waves
