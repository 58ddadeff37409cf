#pragma once

#include "server/worker/loop/worker_process.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace plimsoll::worker {

// A machine-wide lock that admits one supervisor per node name and database. Held until the process
// exits, for whatever reason. Between two machines with the same name, the queue accepts the one
// whose workers are alive; see home().
class SupervisorPlace {
  public:
    // nullopt: another process holds it.
    static std::optional<SupervisorPlace> take(const std::string& node,
                                               const std::string& database_url);

    SupervisorPlace(SupervisorPlace&& other) noexcept;
    SupervisorPlace& operator=(SupervisorPlace&& other) noexcept;
    ~SupervisorPlace();

  private:
    explicit SupervisorPlace(int socket) : socket_(socket) {}

    int socket_ = -1;
};

// Whether a node's workers have nothing left to do.
using IsIdle = std::function<awaitable<Result<bool>>(std::string node)>;

struct SupervisorProcess {
    std::string database_url;
    std::filesystem::path cache;  // the workers' directory of built kernels and tuned plans
    // Makes what tells when to stop; none: only a signal does.
    std::function<IsIdle(const boost::asio::any_io_executor&)> until_idle;
};

// Runs a supervisor process: waits until it is the only one on this machine for its node and
// database, then runs workers until SIGTERM or SIGINT drains them; a second signal forces them to
// exit. Returns the exit status. The process must be single-threaded.
int run_supervisor_process(const ConnectQueue& connect, const SupervisorProcess& options);

}  // namespace plimsoll::worker
