#pragma once

#include "engine/waves/report/report.hpp"

namespace plimsoll::waves {

// A ranked count with its prices, rules, score and outlook. `series` is the source of the table.
CountReport describe(const Ranked& ranked, const BarTable& table, const Series& series, Mode mode);

// Counts under way as shown in reports: few, without overlaps. `open` is sorted best first.
std::vector<Ranked> rank_open(std::span<const Found> open, const Settings& settings);

}  // namespace plimsoll::waves
