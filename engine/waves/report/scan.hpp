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

}  // namespace plimsoll::waves
