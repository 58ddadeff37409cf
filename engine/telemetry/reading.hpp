#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace plimsoll::telemetry {

// What a device says of itself at one moment. What it does not say is absent, never zero.
struct Reading {
    std::optional<double> utilization_percent;  // of the time since the last look, 0 to 100
    std::optional<std::uint64_t> memory_total_bytes;
    std::optional<std::uint64_t> memory_free_bytes;  // whoever holds the rest
    std::optional<std::uint64_t> own_memory_bytes;   // of that rest, what this process holds
    std::optional<double> temperature_celsius;
    std::optional<double> power_watts;
    std::optional<double> power_limit_watts;
    std::optional<double> clock_mhz;
    std::optional<double> memory_clock_mhz;
    std::optional<std::uint64_t> uncorrected_memory_errors;  // since the driver was loaded
    std::optional<std::uint64_t> fault;  // NVIDIA's Xid number of the last one seen by this sensor

    bool operator==(const Reading&) const = default;
};

// Looks anew at each call; milliseconds, unless a driver hangs. One call at a time.
using Sensor = std::function<Reading()>;

}  // namespace plimsoll::telemetry
