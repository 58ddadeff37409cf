#pragma once

#include "engine/waves/report/report.hpp"

namespace plimsoll::waves {

// Searches and ranks one symbol; everything but significance. A symbol with broken rows, with too
// few or too many bars becomes a report with errors. cancelled when `watch` is stopped.
Result<SymbolReport> scan_symbol(SymbolPrices prices, const Settings& settings,
                                 const Watch& watch = {});

}  // namespace plimsoll::waves
