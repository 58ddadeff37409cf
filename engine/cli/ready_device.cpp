#include "engine/cli/ready_device.hpp"

#include "engine/opencl/probing/probe.hpp"

#include <utility>

namespace plimsoll::cli {

Result<ReadyDevice> open_ready(const std::string& address) {
    auto report = opencl::probe();
    for (auto& capability : report.devices) {
        const bool meant = address.empty() || to_string(capability.info.address) == address;
        if (!meant) continue;
        if (capability.state != opencl::DeviceState::ready) {
            if (address.empty()) continue;
            return fail(Errc::unavailable, capability.reason, address);
        }
        auto device = opencl::Device::open(capability.info.address);
        if (!device) return fail(std::move(device.error()));
        return ReadyDevice{std::move(capability), std::move(*device)};
    }
    return fail(
        Errc::not_found,
        address.empty() ? "No OpenCL device is ready." : "No OpenCL device has this address.",
        address);
}

}  // namespace plimsoll::cli
