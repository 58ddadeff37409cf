#include "server/kinds/profile/run/system.hpp"

#include "engine/telemetry/sensors.hpp"
#include "server/kinds/profile/run/figures.hpp"

#include <fstream>
#include <thread>

#include <unistd.h>

namespace plimsoll::jobs::profile {

using Json = nlohmann::ordered_json;

namespace {

telemetry::Reading reading_of(const opencl::Device* device) {
    if (device != nullptr && device->info().type != opencl::DeviceType::cpu) {
        const auto& address = device->info().pci_address;
        if (address.empty()) return {};
        if (auto nvidia = telemetry::nvidia_sensor(address)) return (*nvidia)();
        if (auto amd = telemetry::amd_sensor(address)) return (*amd)();
        return {};
    }
    return telemetry::host_sensor()();
}

}  // namespace

Json device_json(const opencl::Device* device, const opencl::Capability* capability) {
    if (device == nullptr) {
        return {{"device", "host"},  {"name", "Host processor"},
                {"type", "host"},    {"processor_class", nullptr},
                {"driver", nullptr}, {"compute_units", std::thread::hardware_concurrency()}};
    }
    const auto& info = device->info();
    // Its proven features.
    const auto& word = (capability != nullptr ? capability->info : info).processor_class;
    return {{"device", to_string(info.address)},
            {"name", info.name},
            {"type", to_string(info.type)},
            {"processor_class", word.empty() ? Json(nullptr) : Json(word)},
            {"driver", info.driver_version},
            {"compute_units", info.compute_units}};
}

double memory_in_use(const opencl::Device& device) {
    if (device.info().type == opencl::DeviceType::cpu) return resident_bytes();
    const auto reading = reading_of(&device);
    if (reading.own_memory_bytes) return static_cast<double>(*reading.own_memory_bytes);
    if (!reading.memory_total_bytes || !reading.memory_free_bytes) return 0;
    return static_cast<double>(*reading.memory_total_bytes) -
           static_cast<double>(*reading.memory_free_bytes);
}

double device_memory(const opencl::Device& device) {
    const auto& info = device.info();
    return static_cast<double>(info.memory.bytes.value_or(info.driver_memory_bytes));
}

// The second number of /proc/self/statm, in pages.
double resident_bytes() {
    std::ifstream in("/proc/self/statm");
    double size = 0;
    double resident = 0;
    in >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

Json system_json(const opencl::Device* device) {
    const auto reading = reading_of(device);
    std::optional<double> total;
    std::optional<double> free;
    std::optional<double> used;
    if (reading.memory_total_bytes) total = static_cast<double>(*reading.memory_total_bytes) / 1e6;
    if (reading.memory_free_bytes) free = static_cast<double>(*reading.memory_free_bytes) / 1e6;
    if (total && free) used = *total - *free;
    const auto share = used ? std::optional(*used / *total * 100) : std::nullopt;
    return {{"used_mb", or_null(used)},
            {"total_mb", or_null(total)},
            {"free_mb", or_null(free)},
            {"utilization_pct", or_null(share)},
            {"memory_utilization_pct", or_null(share)},
            {"temperature_c", or_null(reading.temperature_celsius)},
            {"power_w", or_null(reading.power_watts)}};
}

}  // namespace plimsoll::jobs::profile
