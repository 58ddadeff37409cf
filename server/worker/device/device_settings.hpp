#pragma once

#include "engine/base/result.hpp"
#include "engine/telemetry/warnings.hpp"

#include <chrono>
#include <optional>

namespace plimsoll::worker {

struct DeviceSettings {
    telemetry::Thresholds thresholds;
    bool log_readings = false;
    // After so long without a task a device's worker lets go of what it keeps; none: never by
    // itself.
    std::optional<std::chrono::seconds> clean_when_idle;
    // Whether devices with memory of their own get bytes through a queue beside the one that
    // computes.
    bool second_queue = false;
};

// From GPU_MAX_UTILIZATION_WARN (percent), GPU_MAX_TEMPERATURE_C, GPU_MIN_FREE_VRAM_MB,
// GPU_PROFILING_ENABLED (0 or 1), GPU_MEMORY_CLEANUP (0 or 1), GPU_CLEANUP_INTERVAL_SEC and
// FEATURE_CUDA_STREAMS (0 or 1); what is not set has its default. Errc::invalid_input names the
// variable and its rule.
Result<DeviceSettings> device_settings();

}  // namespace plimsoll::worker
