#include "engine/telemetry/files.hpp"
#include "engine/telemetry/sensors.hpp"

namespace plimsoll::telemetry {
namespace {

namespace fs = std::filesystem;

constexpr double kMilli = 1e-3;  // temperatures are in thousandths of a degree
constexpr double kMicro = 1e-6;  // power in millionths of a watt, frequencies in Hz

// "ue: 2" (uncorrected) and "ce: 7" (corrected), a line each, in a file per block of the chip.
std::optional<std::uint64_t> uncorrected_errors(const fs::path& device) {
    std::error_code none;
    std::optional<std::uint64_t> all;
    for (const auto& entry : fs::directory_iterator(device / "ras", none)) {
        if (!entry.path().filename().string().ends_with("_err_count")) continue;
        std::ifstream in(entry.path());
        std::string word;
        std::uint64_t count = 0;
        while (in >> word >> count)
            if (word == "ue:") all = all.value_or(0) + count;
    }
    return all;
}

Reading look(const fs::path& device) {
    Reading reading;
    reading.utilization_percent = number_in(device / "gpu_busy_percent");
    reading.memory_total_bytes = bytes_in(device / "mem_info_vram_total");
    if (const auto used = bytes_in(device / "mem_info_vram_used");
        used && reading.memory_total_bytes) {
        reading.memory_free_bytes =
            *reading.memory_total_bytes - std::min(*used, *reading.memory_total_bytes);
    }
    for (const auto& monitor : folders_in(device / "hwmon")) {
        reading.temperature_celsius = scaled(number_in(monitor / "temp1_input"), kMilli);
        reading.power_watts = scaled(number_in(monitor / "power1_average"), kMicro);
        if (!reading.power_watts)
            reading.power_watts = scaled(number_in(monitor / "power1_input"), kMicro);
        reading.power_limit_watts = scaled(number_in(monitor / "power1_cap"), kMicro);
        reading.clock_mhz = scaled(number_in(monitor / "freq1_input"), kMicro);
        reading.memory_clock_mhz = scaled(number_in(monitor / "freq2_input"), kMicro);
    }
    reading.uncorrected_memory_errors = uncorrected_errors(device);
    return reading;
}

}  // namespace

Result<Sensor> amd_sensor(const std::string& pci_address, const fs::path& root) {
    const auto device = root / "sys/bus/pci/devices" / pci_address;
    std::error_code none;
    if (!fs::exists(device / "mem_info_vram_total", none))
        return fail(Errc::not_found, "The amdgpu driver does not list this GPU.", pci_address);
    return [device] { return look(device); };
}

}  // namespace plimsoll::telemetry
