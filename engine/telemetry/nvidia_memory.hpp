#pragma once

#include "engine/base/result.hpp"
#include "engine/telemetry/memory_probe.hpp"

#include <string>

namespace plimsoll::telemetry {

// Asks the driver's management library (NVML) about the GPU at this PCI address, "0000:3b:00.0".
// The library is loaded when this is called and stays loaded while the probe lives; one probe at a
// time and thread. Errc::unavailable without the library or its driver, Errc::not_found when it
// knows no such GPU.
Result<MemoryProbe> nvidia_memory(const std::string& pci_address,
                                  const std::string& library = "libnvidia-ml.so.1");

}  // namespace plimsoll::telemetry
