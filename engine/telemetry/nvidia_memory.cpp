#include "engine/telemetry/nvidia_memory.hpp"

#include <memory>

#include <dlfcn.h>

namespace plimsoll::telemetry {
namespace {

// As nvml.h of NVIDIA's NVML API declares them; 0 is success everywhere.
using Status = int;
using DeviceHandle = void*;
struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

class Library {
  public:
    explicit Library(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW)) {
        find(init_, "nvmlInit_v2");
        find(shutdown_, "nvmlShutdown");
        find(device_at_, "nvmlDeviceGetHandleByPciBusId_v2");
        find(memory_of_, "nvmlDeviceGetMemoryInfo");
        started_ = init_ && shutdown_ && device_at_ && memory_of_ && init_() == 0;
    }
    ~Library() {
        if (started_) shutdown_();
        if (handle_ != nullptr) dlclose(handle_);
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    bool started() const { return started_; }
    DeviceHandle device_at(const std::string& pci_address) const {
        DeviceHandle device = nullptr;
        return device_at_(pci_address.c_str(), &device) == 0 ? device : nullptr;
    }
    std::optional<DeviceMemory> memory_of(DeviceHandle device) const {
        Memory memory{};
        if (memory_of_(device, &memory) != 0) return std::nullopt;
        return DeviceMemory{memory.total, memory.free};
    }

  private:
    template <class Function>
    void find(Function*& function, const char* name) {
        if (handle_ != nullptr) function = reinterpret_cast<Function*>(dlsym(handle_, name));
    }

    void* handle_;
    Status (*init_)() = nullptr;
    Status (*shutdown_)() = nullptr;
    Status (*device_at_)(const char*, DeviceHandle*) = nullptr;
    Status (*memory_of_)(DeviceHandle, Memory*) = nullptr;
    bool started_ = false;
};

}  // namespace

Result<MemoryProbe> nvidia_memory(const std::string& pci_address, const std::string& library) {
    const auto nvml = std::make_shared<const Library>(library);
    if (!nvml->started()) {
        return fail(Errc::unavailable, "NVIDIA's management library cannot be used.", library);
    }
    const auto device = nvml->device_at(pci_address);
    if (device == nullptr) {
        return fail(Errc::not_found, "NVIDIA's management library knows no such GPU.", pci_address);
    }
    return [nvml, device] { return nvml->memory_of(device); };
}

}  // namespace plimsoll::telemetry
