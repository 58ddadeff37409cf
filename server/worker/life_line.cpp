#include "server/worker/life_line.hpp"

#include <unistd.h>

namespace plimsoll::worker {

LifeLine::LifeLine(int fd, const DeviceThread& device, Timer& timer)
    : fd_(fd), device_(device), timer_(timer), life_(kLifePatience) {}

awaitable<void> LifeLine::run() {
    for (;;) {
        if (life_.shown(device_.pulse(), timer_.now())) {
            // A full pipe or a supervisor that is gone: nobody is there to be told.
            [[maybe_unused]] const auto written = write(fd_, "+", 1);
        }
        co_await timer_.sleep_until(timer_.now() + kLifeInterval);
    }
}

}  // namespace plimsoll::worker
