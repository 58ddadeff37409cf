#pragma once

#include "server/worker/base/backoff.hpp"
#include "server/worker/base/event.hpp"
#include "server/worker/base/timer.hpp"
#include "server/worker/supervisor/child.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace plimsoll::worker {

struct KeeperOptions {
    std::chrono::milliseconds first_restart{500};
    std::chrono::milliseconds longest_restart{60'000};
    // A worker that ran this long failed for a new reason: the pauses begin anew.
    std::chrono::milliseconds steady{60'000};
    // Without a sign of life for this long, its device thread hangs. Longer than a lease (15 s),
    // so that its work is already on its way elsewhere, and than a cold compilation of kernels.
    std::chrono::milliseconds hang{30'000};
    // When so many workers in a row ended without finishing a task, the device fails: at least two
    // different tasks were tried, since each is given up after two deaths.
    int most_deaths = 4;
    // Deaths are in a row while no worker between them ran longer.
    std::chrono::milliseconds row{3'600'000};
    // Longer than a lease (15 s), after which the queue no longer believes that the last worker
    // lives, and than a last beat may be on its way.
    std::chrono::milliseconds believed{20'000};
    // So long a failing device is out, until one worker tries it again.
    std::chrono::milliseconds rest{600'000};
};

// Keeps the worker of one device running: starts it again whenever it ends, after growing pauses
// and without ever giving up, and kills it when it shows no life. A device on which workers die and
// finish nothing gets a long rest between them.
class Keeper {
  public:
    // `last_exit`: how the worker before it ended; empty when there was none.
    using Start = std::function<Result<std::unique_ptr<Child>>(const std::string& last_exit)>;

    // Told why the device is taken out, before each rest.
    using OnFailing = std::function<awaitable<void>(std::string reason)>;

    // Without `on_failing` the device gets no rest.
    Keeper(const boost::asio::any_io_executor& executor, std::string device, Start start,
           OnFailing on_failing, Timer& timer, Backoff::Random random, KeeperOptions options = {});

    awaitable<void> run();  // until stop() and the end of its worker

    // Passes SIGTERM to the worker (which drains it; a second one hurries it) and starts no other.
    void stop();
    void kill();

    const std::string& device() const { return device_; }

  private:
    awaitable<std::string> tend(Child& child);
    void hear(const std::string& signs);
    awaitable<void> rest(const std::string& end);

    std::string device_;
    Start start_;
    OnFailing on_failing_;
    Timer& timer_;
    KeeperOptions options_;
    Backoff backoff_;
    std::unique_ptr<Child> child_;
    std::string last_exit_;
    std::string told_end_;  // by the worker itself, of its own end
    bool telling_end_ = false;
    int deaths_ = 0;  // in a row, with no task finished between them
    bool stopping_ = false;
    Event stopped_;
};

}  // namespace plimsoll::worker
