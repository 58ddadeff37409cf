#include "engine/telemetry/nvml.hpp"

#include <vector>

#include <dlfcn.h>

namespace plimsoll::telemetry::nvml {
namespace {

using Status = int;
constexpr Status kSuccess = 0;
constexpr int kTemperatureGpu = 0;
constexpr int kClockGraphics = 0;
constexpr int kClockMemory = 2;
constexpr int kUncorrected = 1;
constexpr int kSinceDriverLoad = 0;
constexpr unsigned long long kXid = 0x8;

struct Utilization {
    unsigned gpu;
    unsigned memory;
};

struct Process {
    unsigned pid;
    unsigned long long used_memory;  // all ones: unknown
    unsigned gpu_instance;
    unsigned compute_instance;
};

struct Event {
    Device device;
    unsigned long long type;
    unsigned long long data;
    unsigned gpu_instance;
    unsigned compute_instance;
};

}  // namespace

struct Library::Functions {
    Status (*init)() = nullptr;
    Status (*shutdown)() = nullptr;
    Status (*device_at)(const char*, Device*) = nullptr;
    Status (*memory)(Device, Memory*) = nullptr;
    Status (*utilization)(Device, Utilization*) = nullptr;
    Status (*temperature)(Device, int, unsigned*) = nullptr;
    Status (*power)(Device, unsigned*) = nullptr;
    Status (*power_limit)(Device, unsigned*) = nullptr;
    Status (*clock)(Device, int, unsigned*) = nullptr;
    Status (*errors)(Device, int, int, unsigned long long*) = nullptr;
    Status (*processes)(Device, unsigned*, Process*) = nullptr;
    Status (*make_events)(void**) = nullptr;
    Status (*free_events)(void*) = nullptr;
    Status (*register_events)(Device, unsigned long long, void*) = nullptr;
    Status (*wait_for_event)(void*, Event*, unsigned) = nullptr;

    explicit Functions(void* library) {
        const auto find = [library](auto*& function, const char* name) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        };
        find(init, "nvmlInit_v2");
        find(shutdown, "nvmlShutdown");
        find(device_at, "nvmlDeviceGetHandleByPciBusId_v2");
        find(memory, "nvmlDeviceGetMemoryInfo");
        find(utilization, "nvmlDeviceGetUtilizationRates");
        find(temperature, "nvmlDeviceGetTemperature");
        find(power, "nvmlDeviceGetPowerUsage");
        find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
        find(clock, "nvmlDeviceGetClockInfo");
        find(errors, "nvmlDeviceGetTotalEccErrors");
        find(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
        find(make_events, "nvmlEventSetCreate");
        find(free_events, "nvmlEventSetFree");
        find(register_events, "nvmlDeviceRegisterEvents");
        find(wait_for_event, "nvmlEventSetWait_v2");
    }
};

namespace {

// The one number that a call fills in, if the library has the call and it succeeds.
template <class Value, class... Before>
std::optional<Value> asked(Status (*function)(Device, Before..., Value*), Device device,
                           std::type_identity_t<Before>... before) {
    Value value{};
    if (function == nullptr || function(device, before..., &value) != kSuccess) return std::nullopt;
    return value;
}

}  // namespace

Result<std::shared_ptr<const Library>> Library::load(const std::string& name) {
    const std::shared_ptr<Library> library(new Library);
    library->handle_ = dlopen(name.c_str(), RTLD_NOW);
    if (library->handle_ != nullptr) {
        auto call = std::make_unique<Functions>(library->handle_);
        if (call->init && call->shutdown && call->device_at && call->memory &&
            call->init() == kSuccess) {
            library->call_ = std::move(call);
            return library;
        }
    }
    return fail(Errc::unavailable, "NVIDIA's management library cannot be used.", name);
}

Library::~Library() {
    if (call_) {
        if (faults_ != nullptr) call_->free_events(faults_);
        call_->shutdown();
    }
    if (handle_ != nullptr) dlclose(handle_);
}

Result<Device> Library::device_at(const std::string& pci_address) const {
    Device device = nullptr;
    if (call_->device_at(pci_address.c_str(), &device) != kSuccess) {
        return fail(Errc::not_found, "NVIDIA's management library does not list this GPU.",
                    pci_address);
    }
    return device;
}

std::optional<Memory> Library::memory(Device device) const { return asked(call_->memory, device); }

std::optional<unsigned> Library::utilization_percent(Device device) const {
    const auto rates = asked(call_->utilization, device);
    return rates ? std::optional(rates->gpu) : std::nullopt;
}

std::optional<unsigned> Library::temperature_celsius(Device device) const {
    return asked<unsigned, int>(call_->temperature, device, kTemperatureGpu);
}

std::optional<unsigned> Library::power_milliwatts(Device device) const {
    return asked(call_->power, device);
}

std::optional<unsigned> Library::power_limit_milliwatts(Device device) const {
    return asked(call_->power_limit, device);
}

std::optional<unsigned> Library::clock_mhz(Device device) const {
    return asked<unsigned, int>(call_->clock, device, kClockGraphics);
}

std::optional<unsigned> Library::memory_clock_mhz(Device device) const {
    return asked<unsigned, int>(call_->clock, device, kClockMemory);
}

std::optional<std::uint64_t> Library::uncorrected_errors(Device device) const {
    return asked<unsigned long long, int, int>(call_->errors, device, kUncorrected,
                                               kSinceDriverLoad);
}

std::optional<std::uint64_t> Library::memory_of_process(Device device, unsigned pid) const {
    if (call_->processes == nullptr) return std::nullopt;
    std::vector<Process> processes(64);
    auto found = static_cast<unsigned>(processes.size());
    if (call_->processes(device, &found, processes.data()) != kSuccess) return std::nullopt;
    for (unsigned i = 0; i < found; ++i) {
        const auto& process = processes[i];
        if (process.pid == pid && process.used_memory != ~0ULL) return process.used_memory;
    }
    return std::nullopt;
}

void Library::watch_faults(Device device) const {
    if (!call_->make_events || !call_->free_events || !call_->register_events ||
        !call_->wait_for_event || call_->make_events(&faults_) != kSuccess) {
        return;
    }
    if (call_->register_events(device, kXid, faults_) == kSuccess) return;
    call_->free_events(faults_);
    faults_ = nullptr;
}

std::optional<std::uint64_t> Library::next_fault() const {
    Event event{};
    if (faults_ == nullptr || call_->wait_for_event(faults_, &event, 0) != kSuccess) return {};
    return event.data;
}

}  // namespace plimsoll::telemetry::nvml
