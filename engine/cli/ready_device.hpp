#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/device.hpp"

#include <string>

namespace plimsoll::commands {

struct ReadyDevice {
    opencl::Capability capability;  // with the features that were proven
    opencl::Device device;
};

// Tries all devices in processes of their own, then opens the one of this address, or the first
// that is ready. Errc::not_found without such a one; says why the named one is not ready.
Result<ReadyDevice> open_ready(const std::string& address);

}  // namespace plimsoll::commands
