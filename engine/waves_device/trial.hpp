#pragma once

#include "engine/waves/scan/search_device.hpp"

namespace plimsoll::waves {

// Measured seconds per start (see Work).
struct Rates {
    double device_begin = 0;  // fixed cost of a call
    double device_counted = 0, device_scored = 0;
    double core_counted = 0, core_scored = 0;
};

// Searches random walks on the device and on this thread, compares all results, and times both:
// about 50 ms once kernels are built. `unavailable` if the results differ.
Result<Rates> try_out(SearchDevice& device, Mode mode);

}  // namespace plimsoll::waves
