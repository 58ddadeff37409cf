
#include "engine/telemetry/nvml.hpp"
#include "engine/telemetry/sensors.hpp"

#include <unistd.h>

namespace plimsoll::telemetry {

Result<MemoryProbe> nvidia_memory(const std::string& pci_address, const std::string& library) {
    const auto nvml = nvml::Library::load(library);
    if (!nvml) return fail(nvml.error());
    const auto device = (*nvml)->device_at(pci_address);
    if (!device) return fail(device.error());
    return [nvml = *nvml, device = *device]() -> std::optional<DeviceMemory> {
        const auto memory = nvml->memory(device);
        if (!memory) return std::nullopt;
        return DeviceMemory{memory->total, memory->free};
    };
}

namespace {

std::optional<double> thousandths(std::optional<unsigned> value) {
    return value ? std::optional(*value / 1000.0) : std::nullopt;
}

class NvidiaSensor {
  public:
    NvidiaSensor(std::shared_ptr<const nvml::Library> library, nvml::Device device)
        : library_(std::move(library)), device_(device) {
        library_->watch_faults(device_);
    }

    Reading operator()() {
        while (const auto fault = library_->next_fault()) fault_ = fault;
        Reading reading;
        if (const auto memory = library_->memory(device_)) {
            reading.memory_total_bytes = memory->total;
            reading.memory_free_bytes = memory->free;
        }
        reading.own_memory_bytes =
            library_->memory_of_process(device_, static_cast<unsigned>(getpid()));
        reading.utilization_percent = library_->utilization_percent(device_);
        reading.temperature_celsius = library_->temperature_celsius(device_);
        reading.power_watts = thousandths(library_->power_milliwatts(device_));
        reading.power_limit_watts = thousandths(library_->power_limit_milliwatts(device_));
        reading.clock_mhz = library_->clock_mhz(device_);
        reading.memory_clock_mhz = library_->memory_clock_mhz(device_);
        reading.uncorrected_memory_errors = library_->uncorrected_errors(device_);
        reading.fault = fault_;
        return reading;
    }

  private:
    std::shared_ptr<const nvml::Library> library_;
    nvml::Device device_;
    std::optional<std::uint64_t> fault_;
};

}  // namespace

Result<Sensor> nvidia_sensor(const std::string& pci_address, const std::string& library) {
    TRY(const auto nvml, nvml::Library::load(library));
    TRY(const auto device, nvml->device_at(pci_address));
    return NvidiaSensor(nvml, device);
}

}  // namespace plimsoll::telemetry
