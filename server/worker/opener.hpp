#pragma once

#include "engine/base/result.hpp"
#include "server/worker/device_settings.hpp"
#include "server/worker/device_thread.hpp"
#include "server/worker/worker_info.hpp"

#include <string>
#include <string_view>

namespace plimsoll::worker {

// What opens the device called `device` ("host" or "opencl:<platform>:<index>") on the device
// thread. An OpenCL device must pass its self-tests. `kinds` is what the worker will register.
// Errc::invalid_input for any other name.
Result<DeviceThread::Opener> opener_for(std::string_view device, KnownKinds kinds,
                                        const DeviceSettings& settings);

}  // namespace plimsoll::worker
