#pragma once

#include "engine/waves/report/scan.hpp"

namespace plimsoll::waves {

struct DeviceChoice {
    SearchDevice* device = nullptr;  // none: the processor does it
    std::string why;                 // empty where there was nothing to choose
};

// By settings.use_gpu. Automatic: the device where forecast() gives it less time than the
// processor's threads; asked for: the device, if it is there and its results are right.
DeviceChoice choose_device(const DeviceAtHand& at_hand, std::span<const SymbolPrices> symbols,
                           const Settings& settings, std::size_t threads, const Watch& watch);

// Searches symbols on the device, from the first on; `searched` of them are in `reports`
// afterwards, and gone from `symbols`. What stopped it before the last, in words; empty: nothing,
// or `watch`.
std::string search_on(SearchDevice& device, std::span<const SymbolPrices> symbols,
                      const Settings& settings, std::size_t threads, const Watch& watch,
                      std::span<SymbolReport> reports, std::size_t& searched);

// Judges symbols by chance series that the device searches, likewise: `judged` of them are done.
std::string judge_on(SearchDevice& device, std::span<SymbolReport* const> symbols,
                     const Settings& settings, std::size_t threads, Progress& progress,
                     const Watch& watch, std::size_t& judged);

}  // namespace plimsoll::waves
