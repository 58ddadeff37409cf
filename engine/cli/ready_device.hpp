#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/device.hpp"

#include <string>

namespace plimsoll::cli {

struct ReadyDevice {
    opencl::Capability capability;  // with the features that passed their tests
    opencl::Device device;
};

// Tests all devices in child processes, then opens the one at `address`, or the first ready one
// when it is empty. Errc::not_found, with the reason, when there is none.
Result<ReadyDevice> open_ready(const std::string& address);

}  // namespace plimsoll::cli
