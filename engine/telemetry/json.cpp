#include "engine/telemetry/json.hpp"

#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace plimsoll::telemetry {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

// Tenths are enough for people and charts, and shorter.
Json tenths_or_null(const std::optional<double>& value) {
    return value ? Json(std::round(*value * 10) / 10) : Json();
}

std::string fixed(double value, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

}  // namespace

std::string to_json(const Snapshot& snapshot) {
    const auto& r = snapshot.reading;
    auto warnings = Json::array();
    for (const auto& warning : snapshot.warnings)
        warnings.push_back({{"code", warning.code}, {"message", warning.message}});
    return Json{{"utilization_percent", tenths_or_null(r.utilization_percent)},
                {"memory_total_bytes", or_null(r.memory_total_bytes)},
                {"memory_free_bytes", or_null(r.memory_free_bytes)},
                {"own_memory_bytes", or_null(r.own_memory_bytes)},
                {"temperature_celsius", tenths_or_null(r.temperature_celsius)},
                {"power_watts", tenths_or_null(r.power_watts)},
                {"power_limit_watts", tenths_or_null(r.power_limit_watts)},
                {"clock_mhz", tenths_or_null(r.clock_mhz)},
                {"memory_clock_mhz", tenths_or_null(r.memory_clock_mhz)},
                {"uncorrected_memory_errors", or_null(r.uncorrected_memory_errors)},
                {"fault", or_null(r.fault)},
                {"warnings", std::move(warnings)}}
        .dump();
}

std::string to_text(const Reading& r) {
    std::string text;
    const auto add = [&text](const std::string& part) {
        text += (text.empty() ? "" : ", ") + part;
    };
    if (r.utilization_percent) add("busy " + fixed(*r.utilization_percent, 0) + " %");
    if (r.memory_total_bytes && r.memory_free_bytes) {
        const auto total = static_cast<double>(*r.memory_total_bytes);
        const auto used = total - static_cast<double>(*r.memory_free_bytes);
        add(fixed(used / 1e9, 1) + " of " + fixed(total / 1e9, 1) + " GB used");
    }
    if (r.own_memory_bytes)
        add(fixed(static_cast<double>(*r.own_memory_bytes) / 1e9, 1) + " GB by this worker");
    if (r.temperature_celsius) add(fixed(*r.temperature_celsius, 0) + " °C");
    if (r.power_watts) {
        add(fixed(*r.power_watts, 0) +
            (r.power_limit_watts ? " of " + fixed(*r.power_limit_watts, 0) : "") + " W");
    }
    if (r.clock_mhz) add(fixed(*r.clock_mhz, 0) + " MHz");
    return text;
}

}  // namespace plimsoll::telemetry
