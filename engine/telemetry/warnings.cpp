#include "engine/telemetry/warnings.hpp"

#include <cmath>

namespace plimsoll::telemetry {
namespace {

constexpr int kLooksToBelieve = 3;
constexpr double kUtilizationBack = 5;
constexpr double kTemperatureBack = 3;
constexpr double kMemoryBack = 1.2;
constexpr double kMegabyte = 1e6;

std::string rounded(double value) { return std::to_string(std::llround(value)); }

}  // namespace

bool Watch::Limit::look(bool past, bool back) {
    past_in_a_row_ = past ? past_in_a_row_ + 1 : 0;
    if (past_in_a_row_ >= kLooksToBelieve) on_ = true;
    if (back) on_ = false;
    return on_;
}

std::vector<Warning> Watch::look(const Reading& reading) {
    std::vector<Warning> warnings;
    const auto& busy = reading.utilization_percent;
    const double max_busy = thresholds_.utilization_percent;
    if (busy && is_gpu_ &&
        utilization_.look(*busy > max_busy, *busy <= max_busy - kUtilizationBack)) {
        warnings.push_back({"utilization", "It is busy " + rounded(*busy) +
                                               " % of the time; the limit is " + rounded(max_busy) +
                                               " %."});
    }
    const auto& heat = reading.temperature_celsius;
    const double hottest = thresholds_.temperature_celsius;
    if (heat && temperature_.look(*heat > hottest, *heat <= hottest - kTemperatureBack)) {
        warnings.push_back({"temperature", "It is at " + rounded(*heat) + " °C; the limit is " +
                                               rounded(hottest) + " °C."});
    }
    const auto& free = reading.memory_free_bytes;
    const auto min = static_cast<double>(thresholds_.free_memory_bytes);
    if (free) {
        const auto bytes = static_cast<double>(*free);
        if (memory_.look(bytes < min, bytes >= min * kMemoryBack)) {
            warnings.push_back({"free_memory", rounded(bytes / kMegabyte) +
                                                   " MB of memory is free; the limit is " +
                                                   rounded(min / kMegabyte) + " MB."});
        }
    }
    if (const auto errors = reading.uncorrected_memory_errors.value_or(0); errors > 0) {
        warnings.push_back({"memory_errors", "Its memory has had " + std::to_string(errors) +
                                                 " uncorrected errors since the driver started."});
    }
    if (reading.fault) {
        warnings.push_back(
            {"fault", "The driver reported fault " + std::to_string(*reading.fault) + " (Xid)."});
    }
    return warnings;
}

}  // namespace plimsoll::telemetry
