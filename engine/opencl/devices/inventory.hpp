#pragma once

#include "engine/base/result.hpp"
#include "engine/opencl/calls/cl.hpp"
#include "engine/opencl/devices/device_info.hpp"

#include <filesystem>
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

// On a machine without an OpenCL driver, makes the loader take the one of `plimsoll[cpu]` in the
// Python environment `prefix`, if it is there. Call it before the first OpenCL call: it sets
// environment variables, which children inherit.
void use_packaged_driver(const std::filesystem::path& prefix);

}  // namespace plimsoll::opencl
