#pragma once

#include "engine/base/result.hpp"
#include "engine/base/words.hpp"
#include "engine/opencl/devices/host_memory.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::opencl {

// Identifies a device on this machine: "opencl:pocl:0". The platform is named after its driver, not
// after its position, which changes when another driver is installed.
struct DeviceAddress {
    std::string platform;  // the driver's suffix in lower case ("pocl", "nv"), else a short name
    int index = 0;         // position among the platform's devices, from 0

    bool operator==(const DeviceAddress&) const = default;
};

using plimsoll::to_string;
std::string to_string(const DeviceAddress& address);
Result<DeviceAddress> parse_device_address(std::string_view text);

enum class DeviceType { cpu, gpu, accelerator, other };

inline constexpr Word<DeviceType> kDeviceTypes[] = {{"cpu", DeviceType::cpu},
                                                    {"gpu", DeviceType::gpu},
                                                    {"accelerator", DeviceType::accelerator},
                                                    {"other", DeviceType::other}};
constexpr std::span<const Word<DeviceType>> words_of(DeviceType) { return kDeviceTypes; }

struct DeviceInfo {
    DeviceAddress address;
    std::string platform;  // "Portable Computing Language"
    std::string platform_version;
    std::string name;
    std::string vendor;
    std::string driver_version;
    std::string device_version;  // "OpenCL 3.0 PoCL …"
    DeviceType type = DeviceType::other;
    std::uint32_t compute_units = 0;
    std::uint64_t max_work_group_size = 0;
    std::uint64_t local_memory_bytes = 0;
    std::uint64_t max_allocation_bytes = 0;  // of one buffer
    // Memory available for planning. A CPU device has the machine's memory; for others it is
    // unknown until a source more reliable than the driver's own figure reports it.
    MemorySize memory;
    // CL_DEVICE_GLOBAL_MEM_SIZE. PoCL derives it from one NUMA node and does not enforce it, so it
    // is displayed and never used for planning.
    std::uint64_t driver_memory_bytes = 0;
    // "0000:3b:00.0", PCI address; empty when the driver does not report it.
    std::string pci_address = {};
    // In one word: what a CPU's instructions are proven to be ("AVX2", "AVX512-BF16", "AMX"), or
    // the generation of a GPU ("Hopper"). Empty: unknown.
    std::string processor_class = {};

    static void members(auto& visit, auto& self) {
        visit("device", self.address);
        visit("platform", self.platform);
        visit("platform_version", self.platform_version);
        visit("name", self.name);
        visit("vendor", self.vendor);
        visit("driver_version", self.driver_version);
        visit("device_version", self.device_version);
        visit("type", self.type);
        visit("processor_class", self.processor_class);
        visit("compute_units", self.compute_units);
        visit("max_work_group_size", self.max_work_group_size);
        visit("local_memory_bytes", self.local_memory_bytes);
        visit("max_allocation_bytes", self.max_allocation_bytes);
        visit.always("memory_bytes", self.memory.bytes);
        visit("memory_source", self.memory.source);
        visit("driver_memory_bytes", self.driver_memory_bytes);
    }
};

// CPU devices read host memory directly and need no copy.
inline bool has_own_memory(const DeviceInfo& info) { return info.type != DeviceType::cpu; }

}  // namespace plimsoll::opencl
