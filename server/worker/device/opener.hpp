#pragma once

#include "engine/base/result.hpp"
#include "server/worker/base/worker_info.hpp"
#include "server/worker/device/device_settings.hpp"
#include "server/worker/device/device_thread.hpp"

#include <string>
#include <string_view>

namespace plimsoll::worker {

// What opens the device called `device` ("host" or "opencl:<platform>:<index>") on the device
// thread. An OpenCL device must pass its self-tests. `kinds` is what the worker will register.
// `probed`, a probe report, tells the features that were proven in processes of their own: a worker
// tries none itself, and believes it of the very device and driver only. Empty: none is known.
// Errc::invalid_input for any other name, and for another text than a report.
Result<DeviceThread::Opener> opener_for(std::string_view device, KnownKinds kinds,
                                        const DeviceSettings& settings,
                                        std::string_view probed = {});

}  // namespace plimsoll::worker
