#include "server/worker/base/worker_info.hpp"

#include "engine/opencl/probing/capability.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::worker {
namespace {

// The queue knows four classes; anything that is neither CPU nor GPU counts as an accelerator.
std::string class_of(opencl::DeviceType type) {
    return std::string(
        to_string(type == opencl::DeviceType::other ? opencl::DeviceType::accelerator : type));
}

}  // namespace

std::string node_name() {
    const char* given = std::getenv("PLIMSOLL_NODE");
    if (given != nullptr && *given != '\0') return given;
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return "unnamed";
    return name.data();
}

std::string home() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::error_code unknown;
    return boot + " " + std::filesystem::read_symlink("/proc/self/ns/net", unknown).string();
}

queue::WorkerInfo worker_info(const opencl::Capability& capability, KnownKinds kinds) {
    const auto& info = capability.info;
    return {.node = node_name(),
            .home = home(),
            .device = to_string(info.address),
            .device_class = class_of(info.type),
            .name = info.name,
            .capability = opencl::to_json(capability),
            .memory_bytes = static_cast<std::int64_t>(info.memory.bytes.value_or(0)),
            .kinds = std::move(kinds.all),
            .helps = std::move(kinds.helped)};
}

void describe_capabilities(std::span<const jobs::Run> kinds, const jobs::KindSettings& settings,
                           queue::WorkerInfo& info) {
    // The host's record is not that of an OpenCL device.
    const auto device = opencl::capability_from_json(info.capability);
    info.capabilities.clear();
    info.advertisements.clear();
    auto advertisements = nlohmann::json::object();
    for (const auto& kind : kinds) {
        if (kind.capabilities == nullptr) continue;
        auto can = kind.capabilities(settings, device ? &*device : nullptr);
        info.capabilities.insert(info.capabilities.end(), can.names.begin(), can.names.end());
        if (!can.advertisement.empty())
            advertisements[std::string(kind.name)] = nlohmann::json::parse(can.advertisement);
    }
    if (!advertisements.empty()) info.advertisements = advertisements.dump();
}

}  // namespace plimsoll::worker
