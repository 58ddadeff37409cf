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
    std::vector<Error> problems;  // platforms and devices whose queries failed
};

// Lists the devices of every installed driver. Loads the drivers into this process: call it where a
// crash is affordable. Without any driver the inventory is empty.
Inventory take_inventory();

}  // namespace plimsoll::opencl
