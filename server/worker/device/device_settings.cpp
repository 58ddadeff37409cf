#include "server/worker/device/device_settings.hpp"

#include "server/jobs/settings.hpp"

#include <cstdlib>
#include <string>

#include <sys/resource.h>

namespace plimsoll::worker {
namespace {

// The value of an environment variable, `usual` if it is unset or empty. Errc::invalid_input names
// the variable and its range.
Result<int> number_of(const char* variable, int min, int max, int usual) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return usual;
    const auto checked = jobs::whole_number(value, min, max);
    if (!checked) {
        return fail(Errc::invalid_input,
                    "It " + checked.error().message + ", not \"" + value + "\".", variable);
    }
    return std::stoi(*checked);
}

constexpr const char* kProcessMemory = "PLIMSOLL_WORKER_MEMORY_MB";
constexpr int kMaxMegabytes = 1'000'000;
constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr int kLongestInterval = 86'400;  // seconds

}  // namespace

Result<DeviceSettings> device_settings() {
    TRY(const auto busy, number_of("GPU_MAX_UTILIZATION_WARN", 1, 100, 90));
    TRY(const auto heat, number_of("GPU_MAX_TEMPERATURE_C", 1, 150, 85));
    TRY(const auto memory, number_of("GPU_MIN_FREE_VRAM_MB", 0, kMaxMegabytes, 500));
    TRY(const auto log, number_of("GPU_PROFILING_ENABLED", 0, 1, 0));
    TRY(const auto clean, number_of("GPU_MEMORY_CLEANUP", 0, 1, 1));
    TRY(const auto idle, number_of("GPU_CLEANUP_INTERVAL_SEC", 1, kLongestInterval, 300));
    TRY(const auto streams, number_of("FEATURE_CUDA_STREAMS", 0, 1, 0));
    TRY(const auto process, number_of(kProcessMemory, 0, kMaxMegabytes, 0));
    if (process > 0 && process < kLeastProcessMegabytes) {
        return fail(Errc::invalid_input,
                    "It must be 0 or a whole number from " +
                        std::to_string(kLeastProcessMegabytes) + ", not \"" +
                        std::to_string(process) + "\".",
                    kProcessMemory);
    }
    DeviceSettings settings{
        .thresholds = {.utilization_percent = static_cast<double>(busy),
                       .temperature_celsius = static_cast<double>(heat),
                       .free_memory_bytes = static_cast<std::uint64_t>(memory) * kMegabyte},
        .log_readings = log == 1,
        .clean_when_idle = std::nullopt,
        .second_queue = streams == 1,
        .process_bytes = static_cast<std::uint64_t>(process) * kMegabyte};
    if (clean == 1) settings.clean_when_idle = std::chrono::seconds(idle);
    return settings;
}

void limit_process_memory(std::uint64_t bytes) {
    if (bytes == 0) return;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_DATA, &limit);  // lowering it always succeeds
}

}  // namespace plimsoll::worker
