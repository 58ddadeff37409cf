#include "server/worker/device/device_opener.hpp"

#include "engine/opencl/devices/host_memory.hpp"
#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/probing/probe.hpp"
#include "engine/opencl/runtime/answer_check.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "engine/telemetry/monitor.hpp"
#include "engine/telemetry/sensors.hpp"
#include "server/base/log.hpp"

#include <chrono>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::worker {

namespace {

constexpr std::string_view kHost = "host";
constexpr std::chrono::seconds kBetweenLooks{1};

std::int64_t bytes_or_zero(const opencl::MemorySize& memory) {
    return static_cast<std::int64_t>(memory.bytes.value_or(0));
}

std::optional<telemetry::DeviceMemory> host_memory() {
    const auto memory = opencl::available_host_memory();
    if (!memory.bytes) return std::nullopt;
    return telemetry::DeviceMemory{*memory.bytes, *memory.bytes};
}

// A CPU shares the machine's memory; among GPUs, only NVIDIA's report what others hold.
telemetry::MemoryProbe memory_probe_of(const opencl::DeviceInfo& info) {
    if (info.type == opencl::DeviceType::cpu) return host_memory;
    if (info.pci_address.empty()) return {};
    auto probe = telemetry::nvidia_memory(info.pci_address);
    if (probe) return std::move(*probe);
    log::info("the device does not report its free memory",
              {{"device", to_string(info.address)}, {"reason", probe.error().message}});
    return {};
}

// Resident memory of this process: the second number of /proc/self/statm, in pages.
std::optional<std::uint64_t> resident_bytes() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    if (!(in >> size >> resident)) return std::nullopt;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// For a device with its own memory, at most the memory held by all processes is known.
std::function<std::optional<std::uint64_t>()> held_memory_of(const opencl::DeviceInfo& info,
                                                             telemetry::MemoryProbe probe) {
    if (info.type == opencl::DeviceType::cpu) return resident_bytes;
    if (!probe) return {};
    return [probe = std::move(probe)]() -> std::optional<std::uint64_t> {
        const auto memory = probe();
        if (!memory) return std::nullopt;
        return memory->total - memory->free;
    };
}

std::shared_ptr<const telemetry::Monitor> watched(telemetry::Sensor sensor,
                                                  telemetry::Thresholds thresholds, bool is_gpu) {
    return std::make_shared<telemetry::Monitor>(
        std::move(sensor), telemetry::Watch(thresholds, is_gpu), kBetweenLooks);
}

// Nothing for a GPU whose driver cannot report it.
std::shared_ptr<const telemetry::Monitor> monitor_of(const opencl::DeviceInfo& info,
                                                     const std::shared_ptr<opencl::Ledger>& ledger,
                                                     telemetry::Thresholds thresholds) {
    const auto of_gpu = [&](telemetry::Sensor sensor) {
        const auto ledger_bytes = [ledger] { return ledger->used(); };
        return watched(telemetry::with_own_memory(std::move(sensor), ledger_bytes), thresholds,
                       true);
    };
    if (info.type == opencl::DeviceType::cpu)
        return watched(telemetry::host_sensor(), thresholds, false);
    if (info.pci_address.empty()) return {};
    if (auto nvidia = telemetry::nvidia_sensor(info.pci_address)) return of_gpu(std::move(*nvidia));
    if (auto amd = telemetry::amd_sensor(info.pci_address)) return of_gpu(std::move(*amd));
    return {};
}

OpenedDevice open_host(KnownKinds kinds, telemetry::Thresholds thresholds) {
    const auto memory = opencl::available_host_memory();
    const nlohmann::ordered_json capability{
        {"device", kHost},
        {"state", "ready"},
        {"type", kHost},
        {"compute_units", std::thread::hardware_concurrency()},
        {"memory_bytes",
         memory.bytes ? nlohmann::ordered_json(*memory.bytes) : nlohmann::ordered_json()},
        {"memory_source", memory.source}};
    OpenedDevice opened;
    opened.info = {.node = node_name(),
                   .home = home(),
                   .device = std::string(kHost),
                   .device_class = std::string(kHost),
                   .name = "Host processor",
                   .capability = capability.dump(),
                   .memory_bytes = bytes_or_zero(memory),
                   .kinds = std::move(kinds.all),
                   .helps = std::move(kinds.helped)};
    opened.memory = host_memory;
    opened.held_memory = resident_bytes;
    opened.monitor = watched(telemetry::host_sensor(), thresholds, false);
    return opened;
}

// In the terms of the API.
const char* copies_of(const opencl::Device& device) {
    if (device.copies_apart()) return "second_queue";
    return opencl::has_own_memory(device.info()) ? "one_queue" : "in_place";
}

// For the same device with the same driver; otherwise nothing is proven.
std::vector<opencl::SelfTest> proven_features(const opencl::ProbeReport& probed,
                                              const opencl::DeviceInfo& info) {
    for (const auto& device : probed.devices) {
        const auto& then = device.info;
        if (then.address == info.address && then.name == info.name &&
            then.driver_version == info.driver_version &&
            then.device_version == info.device_version) {
            return device.features;
        }
    }
    return {};
}

// The memory ledger of a device; unlimited if its size is unknown.
std::shared_ptr<opencl::Ledger> ledger_of(std::int64_t memory_bytes) {
    return std::make_shared<opencl::Ledger>(memory_bytes > 0
                                                ? static_cast<std::uint64_t>(memory_bytes)
                                                : std::numeric_limits<std::uint64_t>::max());
}

Result<OpenedDevice> open_opencl(const opencl::DeviceAddress& address, KnownKinds kinds,
                                 const DeviceSettings& settings,
                                 const opencl::ProbeReport& probed) {
    using opencl::SecondQueue;
    auto device = opencl::Device::open(
        address, settings.second_queue ? SecondQueue::if_own_memory : SecondQueue::none);
    if (!device) return fail(std::move(device.error()));
    if (settings.second_queue && !device->copies_apart()) {
        log::info("FEATURE_CUDA_STREAMS has no effect: the device reads the host's memory",
                  {{"device", to_string(address)}});
    }
    auto capability = opencl::assess(*device);
    if (capability.state != opencl::DeviceState::ready)
        return fail(Errc::unavailable, capability.reason, to_string(address));
    const auto& info = device->info();
    capability.features = proven_features(probed, info);
    capability.name_processor_class();
    OpenedDevice opened;
    opened.info = worker_info(capability, std::move(kinds));
    opened.info.copy_mode = copies_of(*device);
    opened.memory = memory_probe_of(info);
    opened.held_memory = held_memory_of(info, opened.memory);
    if (!info.memory.bytes && opened.memory) {
        if (const auto memory = opened.memory())
            opened.info.memory_bytes = static_cast<std::int64_t>(memory->total);
    }
    opened.capability = std::move(capability);
    opened.ledger = ledger_of(opened.info.memory_bytes);
    opened.monitor = monitor_of(info, opened.ledger, settings.thresholds);
    opened.device = std::make_unique<opencl::Device>(std::move(*device));
    TRY(auto check, opencl::AnswerCheck::make(*opened.device));
    opened.check = [kept = std::make_shared<opencl::AnswerCheck>(std::move(check))] {
        return kept->run();
    };
    return opened;
}

}  // namespace

Result<DeviceThread::Opener> device_opener(std::string_view device, KnownKinds kinds,
                                           const DeviceSettings& settings,
                                           std::string_view probed) {
    if (device == kHost) {
        return [kinds = std::move(kinds), settings]() -> Result<OpenedDevice> {
            return open_host(kinds, settings.thresholds);
        };
    }
    auto address = opencl::parse_device_address(device);
    if (!address) {
        return fail(Errc::invalid_input, "A device must be host or opencl:<platform>:<index>.",
                    std::string(device));
    }
    opencl::ProbeReport known;
    if (!probed.empty()) {
        auto report = opencl::probe_report_from_json(probed);
        if (!report) return fail(Errc::invalid_input, report.error().message, "--probed");
        known = std::move(*report);
    }
    return [address = std::move(*address), kinds = std::move(kinds), settings,
            known = std::move(known)] { return open_opencl(address, kinds, settings, known); };
}

}  // namespace plimsoll::worker
