#include "server/worker/device/device_settings.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace plimsoll::worker {
namespace {

// An environment variable's value; nullopt if unset or empty.
std::optional<std::string> text_of(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
}

// The value as an integer. Errc::invalid_input names the variable and its range.
Result<std::optional<int>> number_of(const char* variable, int min, int max) {
    const auto text = text_of(variable);
    if (!text) return std::nullopt;
    int number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc{} || end != text->data() + text->size() || number < min ||
        number > max) {
        return fail(Errc::invalid_input,
                    "It must be a whole number from " + std::to_string(min) + " to " +
                        std::to_string(max) + ", not \"" + *text + "\".",
                    variable);
    }
    return number;
}

constexpr int kMaxMegabytes = 1'000'000;
// Seconds.
constexpr int kDefaultInterval = 300;
constexpr int kLongestInterval = 86'400;

}  // namespace

Result<DeviceSettings> device_settings() {
    DeviceSettings settings;
    TRY(const auto busy, number_of("GPU_MAX_UTILIZATION_WARN", 1, 100));
    TRY(const auto heat, number_of("GPU_MAX_TEMPERATURE_C", 1, 150));
    TRY(const auto memory, number_of("GPU_MIN_FREE_VRAM_MB", 0, kMaxMegabytes));
    TRY(const auto log, number_of("GPU_PROFILING_ENABLED", 0, 1));
    TRY(const auto clean, number_of("GPU_MEMORY_CLEANUP", 0, 1));
    TRY(const auto interval, number_of("GPU_CLEANUP_INTERVAL_SEC", 1, kLongestInterval));
    TRY(const auto streams, number_of("FEATURE_CUDA_STREAMS", 0, 1));
    auto& thresholds = settings.thresholds;
    if (busy) thresholds.utilization_percent = *busy;
    if (heat) thresholds.temperature_celsius = *heat;
    if (memory) thresholds.free_memory_bytes = static_cast<std::uint64_t>(*memory) * 1'000'000;
    settings.log_readings = log.value_or(0) == 1;
    if (clean.value_or(1) == 1)
        settings.clean_when_idle = std::chrono::seconds(interval.value_or(kDefaultInterval));
    settings.second_queue = streams.value_or(0) == 1;
    return settings;
}

}  // namespace plimsoll::worker
