#pragma once

#include "engine/base/result.hpp"
#include "server/worker/base/worker_info.hpp"
#include "server/worker/device/device_settings.hpp"
#include "server/worker/device/device_thread.hpp"

#include <string_view>

namespace plimsoll::worker {

// Returns a function that opens `device` ("host" or "opencl:<platform>:<index>") on the device
// thread. An OpenCL device must pass its self-tests. `kinds`: what the worker registers. `probed`:
// a probe report with the features that were proven in separate processes; a worker tests none
// itself, and trusts the report only for the same device and driver. Empty: none is known.
// Errc::invalid_input: another device name, or `probed` is not a report.
Result<DeviceThread::Opener> device_opener(std::string_view device, KnownKinds kinds,
                                           const DeviceSettings& settings,
                                           std::string_view probed = {});

}  // namespace plimsoll::worker
