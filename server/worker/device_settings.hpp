#pragma once

#include "engine/base/result.hpp"
#include "engine/telemetry/warnings.hpp"

namespace plimsoll::worker {

struct DeviceSettings {
    telemetry::Thresholds thresholds;
    bool log_readings = false;
};

// From GPU_MAX_UTILIZATION_WARN (percent), GPU_MAX_TEMPERATURE_C, GPU_MIN_FREE_VRAM_MB and
// GPU_PROFILING_ENABLED (0 or 1); what is not set has its default. Errc::invalid_input names the
// variable and its rule.
Result<DeviceSettings> device_settings();

}  // namespace plimsoll::worker
