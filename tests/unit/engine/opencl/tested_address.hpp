#pragma once

#include "engine/opencl/devices/device_info.hpp"

#include <cstdlib>

namespace plimsoll::opencl {

// The device that $PLIMSOLL_TEST_DEVICE names, or PoCL's first.
inline DeviceAddress tested_address() {
    const char* const named = std::getenv("PLIMSOLL_TEST_DEVICE");
    return parse_device_address(named == nullptr ? "opencl:pocl:0" : named).value();
}

}  // namespace plimsoll::opencl
