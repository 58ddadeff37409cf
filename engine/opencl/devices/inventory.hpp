#pragma once

#include "engine/base/result.hpp"
#include "engine/opencl/calls/cl.hpp"
#include "engine/opencl/devices/device_info.hpp"

#include <vector>

namespace plimsoll::opencl {

struct FoundDevice {
    DeviceInfo info;
    cl_device_id id = nullptr;  // valid in this process only
};

struct Inventory {
    std::vector<FoundDevice> devices;
    std::vector<Error> problems;  // platforms and devices that would not describe themselves
};

// Asks every installed driver for its devices. Loads the drivers into this process: call it where a
// crash is affordable. No driver at all is an empty inventory.
Inventory take_inventory();

}  // namespace plimsoll::opencl
