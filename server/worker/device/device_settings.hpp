#pragma once

#include "engine/base/result.hpp"
#include "engine/telemetry/warnings.hpp"

#include <chrono>
#include <optional>

namespace plimsoll::worker {

struct DeviceSettings {
    telemetry::Thresholds thresholds;
    bool log_readings = false;
    // Idle time after which a worker releases what it keeps; none: only on request.
    std::optional<std::chrono::seconds> clean_when_idle;
    // Whether devices with their own memory use a second queue for copies.
    bool second_queue = false;
};

// Reads GPU_MAX_UTILIZATION_WARN (percent), GPU_MAX_TEMPERATURE_C, GPU_MIN_FREE_VRAM_MB,
// GPU_PROFILING_ENABLED (0 or 1), GPU_MEMORY_CLEANUP (0 or 1), GPU_CLEANUP_INTERVAL_SEC and
// FEATURE_CUDA_STREAMS (0 or 1); unset ones have their default. Errc::invalid_input names the
// variable and its range.
Result<DeviceSettings> device_settings();

}  // namespace plimsoll::worker
