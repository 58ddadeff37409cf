#pragma once

#include "server/worker/backoff.hpp"
#include "server/worker/child.hpp"
#include "server/worker/event.hpp"
#include "server/worker/timer.hpp"

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
};

// Keeps the worker of one device running: starts it again whenever it ends, after growing pauses
// and without ever giving up, and kills it when it shows no life.
class Keeper {
  public:
    using Start = std::function<Result<std::unique_ptr<Child>>()>;

    Keeper(const boost::asio::any_io_executor& executor, std::string device, Start start,
           Timer& timer, Backoff::Random random, KeeperOptions options = {});

    awaitable<void> run();  // until stop() and the end of its worker

    // Passes SIGTERM to the worker (which drains it; a second one hurries it) and starts no other.
    void stop();
    void kill();

    const std::string& device() const { return device_; }

  private:
    awaitable<std::string> tend(Child& child);

    std::string device_;
    Start start_;
    Timer& timer_;
    KeeperOptions options_;
    Backoff backoff_;
    std::unique_ptr<Child> child_;
    bool stopping_ = false;
    Event stopped_;
};

}  // namespace plimsoll::worker
