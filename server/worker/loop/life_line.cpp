#include "server/worker/loop/life_line.hpp"

#include <algorithm>
#include <string>

#include <unistd.h>

namespace plimsoll::worker {

namespace {
constexpr std::size_t kLongestEnd = 1000;  // a pipe takes so much whole, or not at all
}

LifeLine::LifeLine(int fd, const DeviceThread& device, Timer& timer)
    : fd_(fd), device_(device), timer_(timer), life_(kLifePatience) {}

awaitable<void> LifeLine::run() {
    for (;;) {
        if (life_.shown(device_.pulse(), timer_.now())) {
            write({&kLifeSign, 1});
        }
        co_await timer_.sleep_until(timer_.now() + kLifeInterval);
    }
}

void LifeLine::tell_task_done() {
    write({&kTaskSign, 1});
}

void LifeLine::tell_end(std::string_view reason) {
    std::string line = kEndSign + std::string(reason.substr(0, kLongestEnd));
    std::ranges::replace(line, '\n', ' ');
    write(line + "\n");
}

void LifeLine::write(std::string_view signs) {
    // A full pipe or a supervisor that is gone: nobody is there to be told.
    [[maybe_unused]] const auto written = ::write(fd_, signs.data(), signs.size());
}

}  // namespace plimsoll::worker
