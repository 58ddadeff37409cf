#pragma once

#include "engine/waves/series/series.hpp"
#include "engine/waves/settings/settings.hpp"

#include <span>
#include <vector>

namespace plimsoll::waves {

struct Window {
    std::int32_t begin = 0;
    std::int32_t end = 0;  // one past the last bar
};

// The index of the first bar of the last `days` days.
std::int32_t first_bar(const Series& series, int days);

// Bars per week: from the settings, else 7 in the compatible mode, else counted from the dates (5
// for a daily series of a stock exchange), else 5.
double bars_per_week(const Series& series, const Settings& settings);

// The windows over n bars, in order. Those at the end are shorter, but at least min_weeks.
std::vector<Window> make_windows(std::int32_t n, double week, const Settings& settings);

// Whether the settings skip a window as too flat or not volatile enough.
bool too_quiet(std::span<const double> lows, std::span<const double> highs,
               std::span<const double> closes, const Settings& settings);

}  // namespace plimsoll::waves
