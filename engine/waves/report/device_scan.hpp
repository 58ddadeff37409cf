#pragma once

#include "engine/waves/report/scan.hpp"

namespace plimsoll::waves {

struct DeviceChoice {
    SearchDevice* device = nullptr;  // null: search on the processor
    std::string why;                 // reason of the choice; empty if there was none
};

// Chooses by settings.use_gpu. Automatic: the device if forecast() predicts less time than on the
// processor's threads; requested: the device, if it is available and its results are right.
DeviceChoice choose_device(const DeviceAtHand& at_hand, std::span<const SymbolPrices> symbols,
                           const Settings& settings, std::size_t threads, const Watch& watch);

// Searches symbols on the device, from the first on; the first `searched` are then moved from
// `symbols` to `reports`. Returns why it stopped before the last; empty: finished, or stopped by
// `watch`.
std::string search_on(SearchDevice& device, std::span<const SymbolPrices> symbols,
                      const Settings& settings, std::size_t threads, const Watch& watch,
                      std::span<SymbolReport> reports, std::size_t& searched);

// Judges symbols likewise, with chance series searched on the device: the first `judged` are done.
std::string judge_on(SearchDevice& device, std::span<SymbolReport* const> symbols,
                     const Settings& settings, std::size_t threads, Progress& progress,
                     const Watch& watch, std::size_t& judged);

}  // namespace plimsoll::waves
