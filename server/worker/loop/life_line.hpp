#pragma once

#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_thread.hpp"
#include "server/worker/loop/life.hpp"

#include <string_view>

namespace plimsoll::worker {

// Tells the supervisor through a pipe, a byte a second, that the device thread lives; the bytes
// stop when it hangs. Another byte tells of tasks that are done, a line why the worker ends itself.
// `fd` must not block: a supervisor
// that does not read costs nothing.
class LifeLine {
  public:
    LifeLine(int fd, const DeviceThread& device, Timer& timer);
    awaitable<void> run();  // until cancelled
    void tell_task_done();
    void tell_end(std::string_view reason);

  private:
    void write(std::string_view signs);

    int fd_;
    const DeviceThread& device_;
    Timer& timer_;
    Life life_;
};

}  // namespace plimsoll::worker
