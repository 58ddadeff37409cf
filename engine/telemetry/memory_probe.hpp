#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace plimsoll::telemetry {

// Bytes. What is not free is held by anybody: this process, other runs, the driver.
struct DeviceMemory {
    std::uint64_t total = 0;
    std::uint64_t free = 0;

    bool operator==(const DeviceMemory&) const = default;
};

// Looks anew at each call, in a millisecond or less. Nothing when the device does not say.
using MemoryProbe = std::function<std::optional<DeviceMemory>()>;

}  // namespace plimsoll::telemetry
