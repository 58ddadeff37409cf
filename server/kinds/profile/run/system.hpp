#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/device.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {

// The report's description of the device, or of the host without one.
nlohmann::ordered_json device_json(const opencl::Device* device,
                                   const opencl::Capability* capability);

// The guide's `system_info`, in which utilization_pct is of memory, plus members with accurate
// names.
nlohmann::ordered_json system_json(const opencl::Device* device);

// In bytes. In use: by this process if the driver reports it, else by all.
double memory_in_use(const opencl::Device& device);
double device_memory(const opencl::Device& device);
// Of this process.
double resident_bytes();

}  // namespace plimsoll::jobs::profile
