#pragma once

#include "server/worker/device_thread.hpp"
#include "server/worker/life.hpp"
#include "server/worker/timer.hpp"

namespace plimsoll::worker {

// Tells the supervisor through a pipe, a byte a second, that the device thread lives; the bytes
// stop when it hangs. `fd` must not block: a supervisor that does not read costs nothing.
class LifeLine {
  public:
    LifeLine(int fd, const DeviceThread& device, Timer& timer);
    awaitable<void> run();  // until cancelled

  private:
    int fd_;
    const DeviceThread& device_;
    Timer& timer_;
    Life life_;
};

}  // namespace plimsoll::worker
