#pragma once

#include "engine/base/progress.hpp"
#include "engine/waves/report/report.hpp"

namespace plimsoll::waves {

// Searches all symbols on settings.threads threads, then judges every count against chance series.
// The reports are in the order of the symbols and the same for any number of threads (but for the
// time taken). Progress counts symbols; with surrogates, a symbol is done when it was judged.
// cancelled when `stop` is asked for.
Result<std::vector<SymbolReport>> scan(std::vector<SymbolPrices> symbols, const Settings& settings,
                                       Progress& progress, const std::stop_token& stop = {});

}  // namespace plimsoll::waves
