#include "engine/cli/ready_device.hpp"

#include "engine/opencl/probing/probe.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace plimsoll::cli {

ReadyDevice::ReadyDevice(opencl::Capability tested, opencl::Device opened,
                         const std::filesystem::path& cache)
    : capability(std::move(tested)),
      device(std::move(opened)),
      programs(device, opencl::ProgramCache(cache / "programs")),
      plans(device.info()),
      plans_file(tuning::plans_file(cache, device.info().address)) {
    const auto read = plans.read(plans_file);
    if (read || read.error().code == Errc::not_found) return;
    std::fprintf(stderr, "plimsoll-engine: %s %s is not used.\n", read.error().message.c_str(),
                 plans_file.c_str());
}

Result<std::unique_ptr<ReadyDevice>> open_ready(const std::string& address,
                                                const std::filesystem::path& cache) {
    auto report = opencl::probe();
    for (auto& capability : report.devices) {
        const bool meant = address.empty() || to_string(capability.info.address) == address;
        if (!meant) continue;
        if (capability.state != opencl::DeviceState::ready) {
            if (address.empty()) continue;
            return fail(Errc::unavailable, capability.reason, address);
        }
        TRY(auto device, opencl::Device::open(capability.info.address));
        return std::make_unique<ReadyDevice>(std::move(capability), std::move(device), cache);
    }
    return fail(
        Errc::not_found,
        address.empty() ? "No OpenCL device is ready." : "No OpenCL device has this address.",
        address);
}

models::Store model_store(const std::filesystem::path& folder) {
    if (!folder.empty()) return models::Store(folder);
    const char* named = std::getenv("PLIMSOLL_MODELS");
    return models::Store(named != nullptr && *named != '\0' ? std::filesystem::path(named)
                                                            : models::default_folder());
}

}  // namespace plimsoll::cli
