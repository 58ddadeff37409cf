#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "server/worker/supervisor/keeper.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::worker {

struct SupervisorOptions {
    KeeperOptions keeper;
    // Pauses before devices that failed their probe are tried again.
    std::chrono::milliseconds first_probe_pause{30'000};
    std::chrono::milliseconds longest_probe_pause{600'000};
    // A probe gives each device its own deadline; this one is for the whole.
    std::chrono::milliseconds probe{300'000};
    // Workers that have not drained by then are killed. Longer than their own limit.
    std::chrono::milliseconds drain{40'000};
    std::chrono::milliseconds hurry{3'000};
};

// One worker process for the host and one for every OpenCL device that passes its probe. Loads no
// driver itself.
class Supervisor {
  public:
    // Starts a child of this program; see start_child().
    using StartChild =
        std::function<Result<std::unique_ptr<Child>>(const std::vector<std::string>&, int pipe_fd)>;

    // Tells the queue of a device that no worker can use. Awaited: the probe waits for it, or the
    // rest of a device that keeps failing.
    using Report = std::function<awaitable<void>(const opencl::Capability&)>;

    Supervisor(boost::asio::any_io_executor executor, StartChild start_child, Report report,
               Timer& timer, Backoff::Random random, SupervisorOptions options = {});

    awaitable<void> run();  // until stop() and the end of all workers

    // The first call drains the workers, the second hurries them.
    void stop();

  private:
    awaitable<void> watch_devices();
    awaitable<bool> probe_devices();
    awaitable<Result<std::string>> probe_output();
    awaitable<void> stop_limit();
    // `probed`: what is handed to its workers, see opener_for(); empty for the host.
    void keep(const std::string& device, const std::string& probed, Keeper::OnFailing on_failing);
    Keeper::OnFailing reported(const opencl::Capability& device);
    bool keeps(const std::string& device) const;

    boost::asio::any_io_executor executor_;
    StartChild start_child_;
    Report report_;
    Timer& timer_;
    Backoff::Random random_;
    SupervisorOptions options_;
    std::vector<std::unique_ptr<Keeper>> keepers_;
    std::size_t running_ = 0;  // coroutines that run() waits for
    bool stopping_ = false;
    bool hurried_ = false;
    Event stopped_;    // for watch_devices()
    Event for_limit_;  // for stop_limit()
    Event one_ended_;  // for run()
};

}  // namespace plimsoll::worker
