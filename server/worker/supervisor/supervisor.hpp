#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "server/worker/supervisor/worker_supervisor.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::worker {

struct SupervisorOptions {
    WorkerSupervisorOptions worker;
    // Pauses before devices that failed their probe are probed again.
    std::chrono::milliseconds first_probe_pause{30'000};
    std::chrono::milliseconds longest_probe_pause{600'000};
    // Limit for a whole probe; each device also has its own.
    std::chrono::milliseconds probe{300'000};
    // Workers that have not drained by then are killed. Longer than the worker's own limit.
    std::chrono::milliseconds drain{40'000};
    std::chrono::milliseconds hurry{3'000};
};

// Runs one worker process for the host and one for every OpenCL device that passes its probe. Loads
// no driver itself.
class Supervisor {
  public:
    // Starts a child of this program; see start_child().
    using StartChild = std::function<Result<std::unique_ptr<Child>>(
        const std::vector<std::string>&, int pipe_fd, const Redirections&)>;

    // Reports a device that no worker can use to the queue. Awaited by the probe, or before a
    // failing device is taken out of service.
    using Report = std::function<awaitable<void>(const opencl::Capability&)>;

    Supervisor(boost::asio::any_io_executor executor, StartChild start_child, Report report,
               Timer& timer, Random random, SupervisorOptions options = {});

    awaitable<void> run();  // until stop() and the end of all workers

    // The first call drains the workers, the second forces them to exit.
    void stop();

  private:
    awaitable<void> watch_devices();
    awaitable<bool> probe_devices();
    awaitable<Result<std::string>> probe_output();
    awaitable<void> stop_limit();
    // `probed`: passed to its workers, see device_opener(); empty for the host.
    void supervise(const std::string& device, const std::string& probed,
                   WorkerSupervisor::OnFailing on_failing);
    WorkerSupervisor::OnFailing reported(const opencl::Capability& device);
    bool supervises(const std::string& device) const;

    boost::asio::any_io_executor executor_;
    StartChild start_child_;
    Report report_;
    Timer& timer_;
    Random random_;
    SupervisorOptions options_;
    std::vector<std::unique_ptr<WorkerSupervisor>> workers_;
    std::size_t running_ = 0;  // coroutines that run() awaits
    bool stopping_ = false;
    bool forced_ = false;
    Event stopped_;    // for watch_devices()
    Event for_limit_;  // for stop_limit()
    Event one_ended_;  // for run()
};

}  // namespace plimsoll::worker
