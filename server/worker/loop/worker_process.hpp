#pragma once

#include "server/queue/worker_store.hpp"
#include "server/worker/device/device_thread.hpp"
#include "server/worker/loop/worker.hpp"

#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::worker {

using ConnectQueue =
    std::function<std::shared_ptr<queue::WorkerStore>(const boost::asio::any_io_executor&)>;

// The life of a worker process: opens the device, works until SIGTERM or SIGINT drains it, and
// leaves; a second signal leaves at once. `settings`: what tasks find settled. `cleaning`: what the
// device thread lets go of, and when. `life_fd`: where to tell a supervisor that we live.
// Returns the exit status: 0 when drained, 1 when the device does not open or was left behind.
// When the device thread hangs, there is no way back: the process ends here.
int run_worker_process(const ConnectQueue& connect, DeviceThread::Opener opener, FindRun find_run,
                       jobs::KindSettings settings, CleaningOptions cleaning,
                       std::optional<int> life_fd, WorkerOptions options);

}  // namespace plimsoll::worker
