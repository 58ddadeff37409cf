#pragma once

#include "engine/base/result.hpp"
#include "engine/telemetry/warnings.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace plimsoll::worker {

struct DeviceSettings {
    telemetry::Thresholds thresholds;
    bool log_readings = false;
    // Idle time after which a worker releases what it keeps; none: only on request.
    std::optional<std::chrono::seconds> clean_when_idle;
    // Whether devices with their own memory use a second queue for copies.
    bool second_queue = false;
    // That the worker's process may take, without the device's own; 0: no limit.
    std::uint64_t process_bytes = 0;
};

// Reads GPU_MAX_UTILIZATION_WARN (percent), GPU_MAX_TEMPERATURE_C, GPU_MIN_FREE_VRAM_MB,
// GPU_PROFILING_ENABLED (0 or 1), GPU_MEMORY_CLEANUP (0 or 1), GPU_CLEANUP_INTERVAL_SEC,
// FEATURE_CUDA_STREAMS (0 or 1) and PLIMSOLL_WORKER_MEMORY_MB (0, or what a worker needs by itself
// and more); unset ones have their default. Errc::invalid_input names the variable and its range.
Result<DeviceSettings> device_settings();

// What a worker can do with: it takes 100 MB before its first task.
inline constexpr int kLeastProcessMegabytes = 256;

// Lets allocations of this process beyond so many bytes fail, so that a task that wants too much
// fails alone. A cgroup's limit would kill the process, and on Kubernetes its pod. 0: no limit.
void limit_process_memory(std::uint64_t bytes);

}  // namespace plimsoll::worker
