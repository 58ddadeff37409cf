#pragma once

#include "engine/waves/report/report.hpp"
#include "engine/waves/search/pattern.hpp"

#include <string>

namespace plimsoll::waves {

// The rule's text for a pattern of this direction.
std::string rule_text(const Rule& rule, bool rising);

// A ranked count with its prices, rules, score and outlook. `series` is the source of the table.
CountReport describe(const Ranked& ranked, const BarTable& table, const Series& series, Mode mode);

// The counts that are live at the last bar, few and without overlaps; of a search's candidates.
std::vector<CountReport> live_counts(std::span<const Found> finished, std::span<const Found> open,
                                     const BarTable& table, const Series& series,
                                     const Settings& settings);

// Counts under way as shown in reports: few, without overlaps. `open` is sorted best first.
std::vector<Ranked> rank_open(std::span<const Found> open, const Settings& settings);

}  // namespace plimsoll::waves
