#pragma once

#include "engine/base/progress.hpp"
#include "engine/waves/report/report.hpp"
#include "engine/waves/scan/search_device.hpp"

namespace plimsoll::waves {

// What may search beside the processor: a device, or why there is none.
struct DeviceAtHand {
    SearchDevice* device = nullptr;
    std::string none = "No OpenCL device is at hand.";
};

// Searches all symbols on settings.threads threads, then judges every count against chance series.
// The reports are in the order of the symbols and the same for any number of threads (but for the
// time taken). Progress counts symbols; with surrogates, a symbol is done when it was judged.
// cancelled when `stop` is asked for. settings.use_gpu says whether a device at hand does it; what
// it cannot do falls to the processor, and every report says who did it and why.
Result<std::vector<SymbolReport>> scan(std::vector<SymbolPrices> symbols, const Settings& settings,
                                       Progress& progress, const std::stop_token& stop = {},
                                       const DeviceAtHand& at_hand = {});

}  // namespace plimsoll::waves
