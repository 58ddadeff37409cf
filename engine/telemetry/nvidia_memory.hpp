#pragma once

#include "engine/base/result.hpp"
#include "engine/telemetry/memory_probe.hpp"

#include <string>

namespace plimsoll::telemetry {

// Queries the driver's management library (NVML) for the GPU at this PCI address, "0000:3b:00.0".
// Loads the library, which stays loaded while the probe lives. Not thread-safe. Errc::unavailable
// without the library or its driver, Errc::not_found when it does not list the GPU.
Result<MemoryProbe> nvidia_memory(const std::string& pci_address,
                                  const std::string& library = "libnvidia-ml.so.1");

}  // namespace plimsoll::telemetry
