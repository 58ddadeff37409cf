#pragma once

#include "engine/drawing/picture.hpp"
#include "engine/waves/report/report.hpp"

namespace plimsoll::waves::output {

// The content of a chart of one count.
struct CountChart {
    std::string title;
    // Bars around the count, each covering `step` bars of the series. For close-only series the
    // other columns are empty.
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::vector<double> open, high, low, close;
    std::string first_name, last_name;
    struct End {
        std::int64_t bar = 0;  // of the series
        double price = 0;
        std::string label;
    };
    std::vector<End> ends;  // the start first
    struct Level {
        double price = 0;
        std::string basis;
    };
    std::vector<Level> targets;
    double invalidation = 0;
    bool under_way = false;  // the last bar is the last of the series, and the count still holds
};

CountChart chart_of(const SymbolReport& report, const CountReport& count);

// Candles (a line, for closes alone), the count with its labels, target zones and the invalidation
// line. At most kChartBars bars: longer spans merge several bars into one. Colours suit a light
// background.
inline constexpr std::size_t kChartBars = 400;
drawing::Picture picture_of(const CountChart& chart);

}  // namespace plimsoll::waves::output
