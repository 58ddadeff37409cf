#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace plimsoll::telemetry {

// In bytes. Memory that is not free may belong to this process, other processes or the driver.
struct DeviceMemory {
    std::uint64_t total = 0;
    std::uint64_t free = 0;

    bool operator==(const DeviceMemory&) const = default;
};

// Reads the current value, in at most a millisecond. Nothing when the device does not report it.
using MemoryProbe = std::function<std::optional<DeviceMemory>()>;

}  // namespace plimsoll::telemetry
