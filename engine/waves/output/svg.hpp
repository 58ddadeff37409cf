#pragma once

#include "engine/waves/report/report.hpp"

#include <string>

namespace plimsoll::waves::output {

// A chart of one count: candles (a line, for closes alone) from a little before its start, the
// count with its labels, target zones and the invalidation line. At most kChartBars bars: of longer
// spans several bars are drawn as one. Stands alone; colours suit a light ground.
inline constexpr std::size_t kChartBars = 400;
std::string count_svg(const SymbolReport& report, const CountReport& count);

}  // namespace plimsoll::waves::output
