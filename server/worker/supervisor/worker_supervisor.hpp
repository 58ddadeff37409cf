#pragma once

#include "server/base/backoff.hpp"
#include "server/worker/base/timer.hpp"
#include "server/worker/supervisor/child.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace plimsoll::worker {

struct WorkerSupervisorOptions {
    std::chrono::milliseconds first_restart{500};
    std::chrono::milliseconds longest_restart{60'000};
    // A worker that ran this long failed for a new reason: the backoff resets.
    std::chrono::milliseconds steady{60'000};
    // Without a heartbeat for this long, the device thread is considered hung. Longer than a lease
    // (15 s), so that its tasks already run elsewhere, and than a cold compilation of kernels.
    std::chrono::milliseconds hang{30'000};
    // A device fails when this many workers in a row died without finishing a task. At least two
    // different tasks were tried, since each is quarantined after three deaths.
    int max_deaths = 4;
    // A worker that ran longer than this resets the count.
    std::chrono::milliseconds row{3'600'000};
    // Longer than a lease (15 s), after which the queue considers the last worker dead, and than a
    // last heartbeat in flight.
    std::chrono::milliseconds believed{20'000};
    // How long a failing device is out of service before one worker tries it again.
    std::chrono::milliseconds rest{600'000};
};

// Supervises the worker of one device: restarts it whenever it exits, without ever giving up, after
// growing pauses unless it was told to end, and kills it if its heartbeats stop. A device on which
// workers keep dying without finishing a task is taken out of service for a long pause.
class WorkerSupervisor {
  public:
    // `last_exit`: how the previous worker exited; empty if there was none.
    using Start = std::function<Result<std::unique_ptr<Child>>(const std::string& last_exit)>;

    // Called with the reason each time before the device is taken out of service.
    using OnFailing = std::function<awaitable<void>(std::string reason)>;

    // Without `on_failing`, the device is never taken out of service.
    WorkerSupervisor(const boost::asio::any_io_executor& executor, std::string device, Start start,
                     OnFailing on_failing, Timer& timer, Random random,
                     WorkerSupervisorOptions options = {});

    awaitable<void> run();  // until stop() and the end of its worker

    // Sends SIGTERM to the worker (the first drains it, the second makes it exit immediately) and
    // starts no other.
    void stop();
    void kill();

    const std::string& device() const { return device_; }

  private:
    awaitable<std::string> tend(Child& child);
    void hear(const std::string& signs);
    bool ended_as_told(const std::string& end) const;
    awaitable<void> rest(const std::string& end);

    std::string device_;
    Start start_;
    OnFailing on_failing_;
    Timer& timer_;
    WorkerSupervisorOptions options_;
    Backoff backoff_;
    std::unique_ptr<Child> child_;
    std::string last_exit_;
    std::string reported_exit_;  // by the worker itself
    bool reading_exit_ = false;
    bool told_to_end_ = false;  // by somebody's SIGTERM
    int deaths_ = 0;            // in a row, with no task finished between them
    bool stopping_ = false;
    Event stopped_;
};

}  // namespace plimsoll::worker
