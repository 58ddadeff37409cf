#pragma once

#include "engine/base/progress.hpp"
#include "engine/waves/report/report.hpp"
#include "engine/waves/scan/search_device.hpp"

namespace plimsoll::waves {

// A device that may search besides the processor, or why there is none.
struct DeviceAtHand {
    SearchDevice* device = nullptr;
    std::string none = "No OpenCL device is available.";
};

// Searches all symbols on settings.threads threads, then judges every count against chance series.
// The reports are in the order of the symbols and, except for times, equal for any number of
// threads. Progress counts symbols; with surrogates, a symbol is done when it was judged.
// `cancelled` on a stop request. settings.use_gpu selects an available device; the processor does
// the rest, and every report names the searching device and the reason.
Result<std::vector<SymbolReport>> scan(std::vector<SymbolPrices> symbols, const Settings& settings,
                                       Progress& progress, const std::stop_token& stop = {},
                                       const DeviceAtHand& at_hand = {});

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
