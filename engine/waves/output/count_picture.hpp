#pragma once

#include "engine/waves/output/picture.hpp"
#include "engine/waves/report/report.hpp"

namespace plimsoll::waves::output {

// What a chart of one count shows.
struct CountChart {
    std::string title;
    // Bars around the count; `step` bars of the series are one of them. Of closes alone the other
    // columns are empty.
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
    bool under_way = false;  // the last bar is that of the series, and the count is not wrong
};

CountChart chart_of(const SymbolReport& report, const CountReport& count);

// Candles (a line, for closes alone), the count with its labels, target zones and the invalidation
// line. At most kChartBars bars: of longer spans several are drawn as one. Colours suit a light
// ground.
inline constexpr std::size_t kChartBars = 400;
Picture picture_of(const CountChart& chart);

}  // namespace plimsoll::waves::output
