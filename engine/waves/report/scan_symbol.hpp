#pragma once

#include "engine/waves/report/report.hpp"

namespace plimsoll::waves {

// A symbol on its way to its report, so that others can search it than the calling thread:
// prepared, searched for a pool of counts, ranked, searched again where too much of the pool
// overlaps, described.
struct SymbolSearch {
    SymbolReport report;  // when it has errors, there is nothing to search
    BarTable table;
    Itinerary itinerary;
    SearchResult result;
    std::vector<Ranked> ranking;

    // Takes what a search for so many counts found. The ranking is exact as long as the pool holds
    // enough: false when a larger one is needed.
    bool rank(SearchResult found, std::size_t pool, const Settings& settings);
};
SymbolSearch prepare(SymbolPrices prices, const Settings& settings);
SymbolReport describe(SymbolSearch searched, const Settings& settings);
std::size_t first_pool(const Settings& settings);
std::size_t larger_pool(std::size_t pool);

// Searches and ranks one symbol; everything but significance. A symbol with broken rows, with too
// few or too many bars becomes a report with errors. cancelled when `watch` is stopped.
Result<SymbolReport> scan_symbol(SymbolPrices prices, const Settings& settings,
                                 const Watch& watch = {});

}  // namespace plimsoll::waves
