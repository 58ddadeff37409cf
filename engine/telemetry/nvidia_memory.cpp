#include "engine/telemetry/nvidia_memory.hpp"

#include "engine/telemetry/nvml.hpp"

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

}  // namespace plimsoll::telemetry
