#include "server/worker/loop/heartbeat_pipe.hpp"

#include <algorithm>
#include <string>

#include <unistd.h>

namespace plimsoll::worker {

namespace {
constexpr std::size_t kLongestEnd = 1000;  // below PIPE_BUF, so that a write is atomic
}

HeartbeatPipe::HeartbeatPipe(int fd, const DeviceThread& device, Timer& timer)
    : fd_(fd), device_(device), timer_(timer), liveness_(kLivenessTimeout) {}

awaitable<void> HeartbeatPipe::run() {
    for (;;) {
        if (liveness_.is_alive(device_.pulse(), timer_.now())) {
            write({&kAliveByte, 1});
        }
        co_await timer_.sleep_until(timer_.now() + kLivenessInterval);
    }
}

void HeartbeatPipe::report_task_done() {
    write({&kTaskDoneByte, 1});
}

void HeartbeatPipe::report_told_to_end() {
    write({&kToldToEndByte, 1});
}

void HeartbeatPipe::report_exit(std::string_view reason) {
    std::string line = kExitReasonByte + std::string(reason.substr(0, kLongestEnd));
    std::ranges::replace(line, '\n', ' ');
    write(line + "\n");
}

void HeartbeatPipe::write(std::string_view signs) {
    // A full pipe or an exited supervisor: nothing to do.
    [[maybe_unused]] const auto written = ::write(fd_, signs.data(), signs.size());
}

}  // namespace plimsoll::worker
