#pragma once

#include "engine/base/result.hpp"
#include "server/postgres/cluster/embedded_layout.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace plimsoll::postgres {

// The private PostgreSQL that `plimsoll serve` owns when it is given no database. It listens on a
// socket only and belongs to one data directory, which one process at a time may use. All calls
// block and belong before and after the I/O loop.
class EmbeddedCluster {
  public:
    // Makes the cluster when there is none, starts it, or takes over a server that outlived a
    // crashed plimsoll. Every failure is a sentence for the person at the terminal.
    static Result<std::unique_ptr<EmbeddedCluster>> start(const std::filesystem::path& data);

    // Connection string of the cluster in `data`, whoever runs it, for commands beside the server.
    static Result<std::string> conninfo_of(const std::filesystem::path& data);

    // Stops the server when stop() was not called.
    ~EmbeddedCluster();
    EmbeddedCluster(const EmbeddedCluster&) = delete;
    EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

    // Connection string without a user; any role of ours may be taken.
    std::string conninfo() const;
    // Whether a server was found running.
    bool adopted() const { return adopted_; }
    // The postmaster's process id.
    pid_t pid() const;
    // Whether it runs.
    bool is_alive() const;

    // Ends the sessions, writes everything out and waits for the end.
    Result<void> stop();

  private:
    explicit EmbeddedCluster(EmbeddedLayout layout, int lock);

    Result<void> create();
    Result<void> launch();
    Result<void> void_locks() const;
    Result<void> create_database();
    Result<Finished> control(std::initializer_list<std::string> arguments) const;

    EmbeddedLayout layout_;
    int lock_;  // descriptor of the locked file that keeps a second process out
    bool adopted_ = false;
    bool running_ = false;
};

}  // namespace plimsoll::postgres
