#pragma once

#include "engine/waves/scan/search_device.hpp"

namespace plimsoll::waves {

// Seconds that a start takes (see Work), measured.
struct Rates {
    double device_begin = 0;  // of a call, whatever its size
    double device_counted = 0, device_scored = 0;
    double core_counted = 0, core_scored = 0;
};

// Searches random walks on the device and on this thread, compares all results, and takes the
// times: some 50 ms once kernels are built. `unavailable` where the results differ.
Result<Rates> try_out(SearchDevice& device, Mode mode);

}  // namespace plimsoll::waves
