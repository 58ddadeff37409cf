#include "server/worker/life_line.hpp"

#include <unistd.h>

namespace plimsoll::worker {

LifeLine::LifeLine(int fd, const DeviceThread& device, Timer& timer)
    : fd_(fd), device_(device), timer_(timer), life_(kLifePatience) {}

awaitable<void> LifeLine::run() {
    for (;;) {
        if (life_.shown(device_.pulse(), timer_.now())) {
            write_sign(kLifeSign);
        }
        co_await timer_.sleep_until(timer_.now() + kLifeInterval);
    }
}

void LifeLine::tell_task_done() {
    write_sign(kTaskSign);
}

void LifeLine::write_sign(char sign) {
    // A full pipe or a supervisor that is gone: nobody is there to be told.
    [[maybe_unused]] const auto written = write(fd_, &sign, 1);
}

}  // namespace plimsoll::worker
