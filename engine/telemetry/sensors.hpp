#pragma once

#include "engine/base/result.hpp"
#include "engine/telemetry/reading.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace plimsoll::telemetry {

// NVIDIA's management library about the GPU at this PCI address, "0000:3b:00.0". The library stays
// loaded while the sensor lives. Errc::unavailable without the library or its driver,
// Errc::not_found when it knows no such GPU.
Result<Sensor> nvidia_sensor(const std::string& pci_address,
                             const std::string& library = "libnvidia-ml.so.1");

// The amdgpu driver's files about the GPU at this PCI address, as the kernel documents them in
// Documentation/gpu/amdgpu/thermal.rst and .../driver-misc.rst. Errc::not_found when the driver has
// no such GPU. `root` stands for "/".
Result<Sensor> amd_sensor(const std::string& pci_address, const std::filesystem::path& root = "/");

// The machine's processors and memory, from /proc and /sys. `root` stands for "/".
Sensor host_sensor(const std::filesystem::path& root = "/");

// The same sensor, whose readings say what `booked` says where the driver does not tell what this
// process holds. `booked` is called by whoever looks.
Sensor with_own_memory(Sensor sensor, std::function<std::uint64_t()> booked);

}  // namespace plimsoll::telemetry
