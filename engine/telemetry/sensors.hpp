#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace plimsoll::telemetry {

// A device's state at one moment. Unreported quantities are absent, never zero.
struct Reading {
    std::optional<double> utilization_percent;  // since the last reading, 0 to 100
    std::optional<std::uint64_t> memory_total_bytes;
    std::optional<std::uint64_t> memory_free_bytes;  // the rest is held by any process
    std::optional<std::uint64_t> own_memory_bytes;   // held by this process
    std::optional<double> temperature_celsius;
    std::optional<double> power_watts;
    std::optional<double> power_limit_watts;
    std::optional<double> clock_mhz;
    std::optional<double> memory_clock_mhz;
    std::optional<std::uint64_t> uncorrected_memory_errors;  // since the driver was loaded
    std::optional<std::uint64_t> fault;  // NVIDIA's Xid number of the last fault this sensor saw

    bool operator==(const Reading&) const = default;
};

// Takes a new reading; milliseconds, unless a driver hangs. Not thread-safe.
using Sensor = std::function<Reading()>;

// Reads NVIDIA's management library for the GPU at this PCI address, "0000:3b:00.0". The library
// stays loaded while the sensor lives. Errc::unavailable without the library or its driver,
// Errc::not_found when it does not list the GPU.
Result<Sensor> nvidia_sensor(const std::string& pci_address,
                             const std::string& library = "libnvidia-ml.so.1");

// Reads the amdgpu driver's files for the GPU at this PCI address, as documented in the kernel's
// Documentation/gpu/amdgpu/thermal.rst and .../driver-misc.rst. Errc::not_found when the driver
// does not list the GPU. `root` stands for "/".
Result<Sensor> amd_sensor(const std::string& pci_address, const std::filesystem::path& root = "/");

// Reads the machine's processors and memory from /proc and /sys. `root` stands for "/".
Sensor host_sensor(const std::filesystem::path& root = "/");

// In bytes. Memory that is not free may belong to this process, other processes or the driver.
struct DeviceMemory {
    std::uint64_t total = 0;
    std::uint64_t free = 0;

    bool operator==(const DeviceMemory&) const = default;
};

// Reads the current value, in at most a millisecond. Nothing when the device does not report it.
using MemoryProbe = std::function<std::optional<DeviceMemory>()>;

// Queries the driver's management library (NVML) for the GPU at this PCI address, "0000:3b:00.0".
// Loads the library, which stays loaded while the probe lives. Not thread-safe. Errc::unavailable
// without the library or its driver, Errc::not_found when it does not list the GPU.
Result<MemoryProbe> nvidia_memory(const std::string& pci_address,
                                  const std::string& library = "libnvidia-ml.so.1");

// Adds `ledger_bytes` as the memory held by this process to readings whose driver does not report
// it. `ledger_bytes` is called on the sensor's thread.
Sensor with_own_memory(Sensor sensor, std::function<std::uint64_t()> ledger_bytes);

}  // namespace plimsoll::telemetry
