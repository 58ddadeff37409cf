#pragma once

#include "engine/waves/scan/windows.hpp"
#include "engine/waves/search/bar_table.hpp"

namespace plimsoll::waves {

struct Start {
    std::int32_t bar = 0;
    std::int32_t window = 0;  // index of the window
};

// Finds points to start counts from: bars whose low is the lowest of five on either side, ten or
// more apart, and the window's lowest low; if there are too many, the first ones and the lowest. On
// mirrored bars these are highs. One finder per series and side.
class StartFinder {
  public:
    explicit StartFinder(std::span<const Bar> bars);
    // Appends the bars of one window, in order.
    void find(const Window& window, const Settings& settings, std::vector<std::int32_t>& starts);

  private:
    std::span<const Bar> bars_;
    std::vector<std::int32_t> lows_;  // bars that are the lowest of their neighbours
};

// How promising a start at a bar is, 0 to 1: a weighted sum (weights sum to 1) of volatility,
// range, number of turns and slope of the bars to the window's end.
double pre_score(std::span<const Bar> bars, std::int32_t start, std::int32_t end,
                 const std::array<double, 4>& weights);

// Removes starts with a pre-score below the threshold, and all but the best pre_score_top_k.
// Returns the number removed.
std::size_t filter_starts(std::span<const Bar> bars, std::span<const Window> windows,
                          const Settings& settings, std::vector<Start>& starts);

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
