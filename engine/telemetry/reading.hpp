#pragma once

#include <cstdint>
#include <functional>
#include <optional>

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

}  // namespace plimsoll::telemetry
