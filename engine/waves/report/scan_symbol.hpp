#pragma once

#include "engine/waves/report/report.hpp"

namespace plimsoll::waves {

// The stages of a symbol's report, separate so that a device or another thread can do the search:
// prepared, searched for a pool of counts, ranked, searched again if too much of the pool overlaps,
// described.
struct SymbolSearch {
    SymbolReport report;  // if it has errors, there is nothing to search
    BarTable table;
    Itinerary itinerary;
    SearchResult result;
    std::vector<Ranked> ranking;

    // Takes the result of a search with a pool of `keep` counts. The ranking is exact if the pool
    // was large enough; returns false when a larger one is needed.
    bool rank(SearchResult found, std::size_t pool, const Settings& settings);
};
SymbolSearch prepare(SymbolPrices prices, const Settings& settings);
SymbolReport describe(SymbolSearch searched, const Settings& settings);
std::size_t first_pool(const Settings& settings);
std::size_t larger_pool(std::size_t pool);

// Searches and ranks one symbol, without significance. A symbol with broken rows, or too few or too
// many bars, becomes a report with errors. `cancelled` when `watch` is stopped.
Result<SymbolReport> scan_symbol(SymbolPrices prices, const Settings& settings,
                                 const Watch& watch = {});

}  // namespace plimsoll::waves
