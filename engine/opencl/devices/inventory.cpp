#include "engine/opencl/devices/inventory.hpp"

#include "engine/opencl/calls/status.hpp"
#include "engine/opencl/devices/processor.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <glob.h>

namespace plimsoll::opencl {

namespace {

// cl_khr_icd; the headers declare it only beside the loader's own interface.
constexpr cl_platform_info kPlatformIcdSuffix = 0x0920;

// Every query of a platform or a device has this shape.
using Query = std::function<cl_int(std::size_t room, void* value, std::size_t* needed)>;

Result<std::string> text_of(std::string_view call, const Query& query) {
    std::size_t bytes = 0;
    if (const cl_int status = query(0, nullptr, &bytes); status != CL_SUCCESS)
        return fail(status_error(call, status));
    std::string text(bytes, '\0');
    if (const cl_int status = query(bytes, text.data(), nullptr); status != CL_SUCCESS)
        return fail(status_error(call, status));
    text.resize(std::min(text.find('\0'), text.size()));  // drivers count the terminator
    return text;
}

Result<std::string> platform_text(cl_platform_id platform, cl_platform_info key) {
    return text_of("clGetPlatformInfo", [=](std::size_t room, void* value, std::size_t* needed) {
        return clGetPlatformInfo(platform, key, room, value, needed);
    });
}

// Reads one device's properties; remembers the first failure, so that the reader is a plain list.
class DeviceReader {
  public:
    explicit DeviceReader(cl_device_id device) : device_(device) {}

    std::string text(cl_device_info key) {
        auto value =
            text_of("clGetDeviceInfo", [=, this](std::size_t room, void* out, std::size_t* needed) {
                return clGetDeviceInfo(device_, key, room, out, needed);
            });
        if (value) return *value;
        remember(value.error());
        return {};
    }

    template <class T>
    T number(cl_device_info key) {
        T value{};
        const cl_int status = clGetDeviceInfo(device_, key, sizeof value, &value, nullptr);
        if (status != CL_SUCCESS) remember(status_error("clGetDeviceInfo", status));
        return value;
    }

    // A property that not every driver knows.
    template <class T>
    std::optional<T> optional(cl_device_info key) const {
        T value{};
        if (clGetDeviceInfo(device_, key, sizeof value, &value, nullptr) != CL_SUCCESS) return {};
        return value;
    }

    const std::optional<Error>& failure() const { return failure_; }

  private:
    void remember(Error error) {
        if (!failure_) failure_ = std::move(error);
    }

    cl_device_id device_;
    std::optional<Error> failure_;
};

DeviceType type_of(cl_device_type type) {
    if (type & CL_DEVICE_TYPE_GPU) return DeviceType::gpu;
    if (type & CL_DEVICE_TYPE_CPU) return DeviceType::cpu;
    if (type & CL_DEVICE_TYPE_ACCELERATOR) return DeviceType::accelerator;
    return DeviceType::other;
}

// cl_khr_pci_bus_info, and what NVIDIA's drivers had before it (cl_nv_device_attribute_query).
// Defined here because the headers of our API level omit them.
constexpr cl_device_info kPciBusInfo = 0x410F;
struct PciBusInfo {
    cl_uint domain, bus, device, function;
};
constexpr cl_device_info kPciBusNv = 0x4008;
constexpr cl_device_info kPciSlotNv = 0x4009;

std::string pci_address_of(const DeviceReader& read) {
    auto place = read.optional<PciBusInfo>(kPciBusInfo);
    if (!place) {
        const auto bus = read.optional<cl_uint>(kPciBusNv);
        const auto slot = read.optional<cl_uint>(kPciSlotNv);
        if (!bus || !slot) return {};
        place = PciBusInfo{0, *bus, *slot >> 3, *slot & 7};
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", place->domain, place->bus,
                  place->device, place->function);
    return text.data();
}

// cl_nv_device_attribute_query.
constexpr cl_device_info kComputeCapabilityMajorNv = 0x4000;
constexpr cl_device_info kComputeCapabilityMinorNv = 0x4001;

std::string_view processor_class_of(const DeviceReader& read, const DeviceInfo& info) {
    if (info.type == DeviceType::cpu) return vectors_of_processor();
    const auto major = read.optional<cl_uint>(kComputeCapabilityMajorNv);
    const auto minor = read.optional<cl_uint>(kComputeCapabilityMinorNv);
    return major && minor ? nvidia_generation(*major, *minor) : amd_generation(info.name);
}

// "NV" -> "nv", "Clover" -> "clover", "AMD Accelerated" -> "amd-accelerated": safe in an address.
std::string short_name(std::string_view text) {
    std::string name;
    for (const unsigned char c : text)
        if (std::isalnum(c))
            name += static_cast<char>(std::tolower(c));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    while (!name.empty() && name.back() == '-') name.pop_back();
    return name.empty() ? "unnamed" : name;
}

struct PlatformInfo {
    std::string short_name;
    std::string name;
    std::string version;
};

Result<PlatformInfo> describe(cl_platform_id platform) {
    TRY(auto name, platform_text(platform, CL_PLATFORM_NAME));
    TRY(auto version, platform_text(platform, CL_PLATFORM_VERSION));
    const auto suffix = platform_text(platform, kPlatformIcdSuffix);
    const auto& source = suffix && !suffix->empty() ? *suffix : name;
    return PlatformInfo{short_name(source), name, version};
}

Result<DeviceInfo> describe(cl_device_id device, const PlatformInfo& platform, int index) {
    DeviceReader read(device);
    DeviceInfo info{
        .address = {platform.short_name, index},
        .platform = platform.name,
        .platform_version = platform.version,
        .name = read.text(CL_DEVICE_NAME),
        .vendor = read.text(CL_DEVICE_VENDOR),
        .driver_version = read.text(CL_DRIVER_VERSION),
        .device_version = read.text(CL_DEVICE_VERSION),
        .type = type_of(read.number<cl_device_type>(CL_DEVICE_TYPE)),
        .compute_units = read.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS),
        .max_work_group_size = read.number<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE),
        .local_memory_bytes = read.number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE),
        .max_allocation_bytes = read.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
        .memory = {},
        .driver_memory_bytes = read.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE),
    };
    if (read.failure()) {
        auto error = *read.failure();
        error.where = to_string(info.address);
        return fail(std::move(error));
    }
    if (info.type == DeviceType::cpu) info.memory = available_host_memory();
    info.pci_address = pci_address_of(read);
    info.processor_class = processor_class_of(read, info);
    return info;
}

Result<std::vector<cl_device_id>> devices_of(cl_platform_id platform) {
    cl_uint count = 0;
    cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (status == CL_DEVICE_NOT_FOUND) return std::vector<cl_device_id>{};
    std::vector<cl_device_id> ids(count);
    if (status == CL_SUCCESS && count > 0)
        status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
    if (status != CL_SUCCESS) return fail(status_error("clGetDeviceIDs", status));
    return ids;
}

Result<std::vector<cl_platform_id>> platforms() {
    cl_uint count = 0;
    cl_int status = clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> ids(count);
    if (status == CL_SUCCESS && count > 0) status = clGetPlatformIDs(count, ids.data(), nullptr);
    if (status == CL_SUCCESS) return ids;
    auto error = status_error("clGetPlatformIDs", status);
    if (error.code == Errc::not_found) return std::vector<cl_platform_id>{};
    return fail(std::move(error));
}

std::string first_matching(const std::string& pattern) {
    glob_t found{};
    std::string first;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) first = found.gl_pathv[0];
    globfree(&found);
    return first;
}

// Two drivers with one name (two versions of a driver side by side) still get distinct addresses.
int next_index(const Inventory& inventory, const std::string& platform) {
    return static_cast<int>(std::ranges::count_if(
        inventory.devices, [&](const auto& d) { return d.info.address.platform == platform; }));
}

void add_platform(Inventory& inventory, cl_platform_id id) {
    const auto platform = describe(id);
    if (!platform) {
        inventory.problems.push_back(platform.error());
        return;
    }
    const auto devices = devices_of(id);
    if (!devices) {
        auto error = devices.error();
        error.where = platform->name;
        inventory.problems.push_back(std::move(error));
        return;
    }
    int index = next_index(inventory, platform->short_name);
    for (const auto device : *devices) {
        auto info = describe(device, *platform, index++);
        if (info)
            inventory.devices.push_back({std::move(*info), device});
        else
            inventory.problems.push_back(info.error());
    }
}

}  // namespace

Inventory take_inventory() {
    Inventory inventory;
    const auto ids = platforms();
    if (!ids) {
        inventory.problems.push_back(ids.error());
        return inventory;
    }
    for (const auto platform : *ids) add_platform(inventory, platform);
    return inventory;
}

void use_packaged_driver(const std::filesystem::path& prefix) {
    // The loader takes drivers from one place only.
    if (std::getenv("OCL_ICD_VENDORS") != nullptr ||
        !first_matching("/etc/OpenCL/vendors/*.icd").empty()) {
        return;
    }
    // The package pocl-binary-distribution.
    const auto driver =
        first_matching(prefix / "lib/python3*/*-packages/pyopencl/.libs/libpocl-*.so");
    if (driver.empty()) return;
    setenv("OCL_ICD_VENDORS", driver.c_str(), 1);
    // The driver runs "ld" for each kernel.
    const auto linker = (prefix / "share/plimsoll/linker").string();
    const char* path = std::getenv("PATH");
    setenv("PATH", path == nullptr ? linker.c_str() : (linker + ":" + path).c_str(), 1);
}

}  // namespace plimsoll::opencl
