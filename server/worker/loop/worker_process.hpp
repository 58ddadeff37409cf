#pragma once

#include "engine/base/result.hpp"
#include "server/jobs/kind.hpp"
#include "server/queue/worker_store.hpp"
#include "server/worker/device/device_thread.hpp"
#include "server/worker/loop/worker.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::worker {

// Reads the variables of the kinds' settings, which the server passes to its workers; unset ones
// have their default. `cache`: directory of built kernels and tuned plans. Errc::invalid_input
// names the variable and its rule.
Result<jobs::KindSettings> kind_settings(std::span<const jobs::Run> kinds,
                                         std::filesystem::path cache);

using ConnectQueue =
    std::function<std::shared_ptr<queue::WorkerStore>(const boost::asio::any_io_executor&)>;

// Descriptors that a supervisor leaves to its workers; see HeartbeatPipe and RunningRecord.
struct SupervisorFds {
    std::optional<int> heartbeat;
    std::optional<int> running;
};

// Runs a worker process: opens the device, works until SIGTERM or SIGINT drains it, and exits; a
// second signal exits immediately. `settings`: passed to tasks. `cleaning`: what the device thread
// releases, and when. Returns the exit status: 0
// if drained, 1 if the device cannot be opened or was abandoned. If the device thread hangs, it
// cannot be joined and the process exits here.
int run_worker_process(const ConnectQueue& connect, DeviceThread::Opener opener, FindRun find_run,
                       jobs::KindSettings settings, IdleOptions idle, SupervisorFds fds,
                       WorkerOptions options);

}  // namespace plimsoll::worker
