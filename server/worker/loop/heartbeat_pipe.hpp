#pragma once

#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_thread.hpp"
#include "server/worker/loop/liveness.hpp"

#include <string_view>

namespace plimsoll::worker {

// Writes a byte per second to the supervisor's pipe while the device thread is alive; the bytes
// stop when it hangs. Other bytes report finished tasks and that the worker was told to end, and a
// line says why it exits.
// `fd` must be non-blocking, so that a supervisor that does not read cannot stall the worker.
class HeartbeatPipe {
  public:
    HeartbeatPipe(int fd, const DeviceThread& device, Timer& timer);
    awaitable<void> run();  // until cancelled
    void report_task_done();
    void report_told_to_end();
    void report_exit(std::string_view reason);

  private:
    void write(std::string_view signs);

    int fd_;
    const DeviceThread& device_;
    Timer& timer_;
    LivenessDetector liveness_;
};

}  // namespace plimsoll::worker
