#pragma once

#include "engine/waves/report/report.hpp"

#include <nlohmann/json_fwd.hpp>

// Prices for drawing a report's counts.
namespace plimsoll::jobs::waves {

inline constexpr std::size_t kMostPoints = 1000;

// The bars `begin` to `end` of the searched series, each `step` of them merged, so that at most
// kMostPoints remain. "first" and "step" count bars of the file.
nlohmann::json prices_json(const ::plimsoll::waves::SymbolReport& report, std::size_t begin,
                           std::size_t end);

// The bars around a count, with margins on both sides; of a live one up to the last bar.
nlohmann::json close_up_json(const ::plimsoll::waves::SymbolReport& report,
                             const ::plimsoll::waves::CountReport& count);

}  // namespace plimsoll::jobs::waves
