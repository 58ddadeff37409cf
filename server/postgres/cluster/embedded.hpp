#pragma once

#include "engine/base/result.hpp"
#include "server/base/programs/child_program.hpp"
#include "server/postgres/cluster/data_lock.hpp"
#include "server/postgres/cluster/embedded_layout.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::postgres {

// The private PostgreSQL cluster of `plimsoll serve` when no database is configured. It listens on
// a Unix socket only and belongs to one data directory, which one process at a time may use. All
// calls block: use them before and after the I/O loop.
class EmbeddedCluster {
  public:
    // Creates the cluster if needed and starts it, or adopts a server that outlived a crashed
    // plimsoll. Error messages are sentences for the user.
    static Result<std::unique_ptr<EmbeddedCluster>> start(
        const std::filesystem::path& data, const std::filesystem::path& postgres = {});

    // Connection string of the cluster in `data`, whichever process runs it, for administration
    // commands.
    static Result<std::string> conninfo_of(const std::filesystem::path& data,
                                           const std::filesystem::path& postgres);

    // Stops the server if stop() was not called.
    ~EmbeddedCluster();
    EmbeddedCluster(const EmbeddedCluster&) = delete;
    EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

    // Tells administration commands where this process serves: "http://127.0.0.1:7272".
    void set_address(const std::string& address) const { lock_.set_address(address); }

    // Connection string without a user; every Plimsoll role may connect.
    std::string conninfo() const;
    // Whether a running server was adopted.
    bool adopted() const { return adopted_; }
    // The postmaster's process id.
    pid_t pid() const;
    // Whether it runs.
    bool is_alive() const;

    // Ends all sessions, checkpoints and waits for the shutdown.
    Result<void> stop();

  private:
    EmbeddedCluster(EmbeddedLayout layout, DataLock lock);

    Result<void> create();
    Result<void> launch();
    Result<void> remove_stale_locks() const;
    Result<void> create_database();
    Result<Finished> control(std::initializer_list<std::string> arguments) const;
    // In "/", with a clean environment, as the user who runs PostgreSQL.
    Result<Finished> run(const std::filesystem::path& program,
                         std::vector<std::string> arguments) const;

    EmbeddedLayout layout_;
    DataLock lock_;
    bool adopted_ = false;
    bool running_ = false;
};

// The last lines of a log, at most about 1 KiB, without a newline at the end; empty if it cannot be
// read. Links are not followed: the folder is another user's.
std::string log_tail(const std::filesystem::path& file);

}  // namespace plimsoll::postgres
