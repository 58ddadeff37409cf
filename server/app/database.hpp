#pragma once

#include "server/app/settings.hpp"
#include "server/postgres/cluster/embedded.hpp"
#include "server/postgres/driver/connect.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace plimsoll::app {

// The database that the settings name, or the private cluster when they name none.
class Database {
  public:
    // Starts or adopts the private cluster. Blocks.
    static Result<std::unique_ptr<Database>> open(const Settings& settings);
    // The private cluster of a server that runs now, or the database of the settings, without
    // owning either: for commands beside the server.
    static Result<std::unique_ptr<Database>> visit(const Settings& settings);

    // Whether the server owns a private cluster.
    bool embedded() const { return settings_.database.url.empty(); }
    const postgres::Target& app() const { return app_; }
    // Nothing to migrate with when the database is not ours and no migrate_url is set.
    bool can_migrate() const { return !migrate_.conninfo.empty(); }
    const postgres::Target& migrator() const { return migrate_; }
    // A connection string with the workers' role in it.
    const std::string& worker_url() const { return worker_url_; }

    // Starts the private cluster again when its postmaster is gone. Blocks; call it off the I/O
    // thread.
    Result<void> revive();
    // False also after an attempt to start it failed: the next one may succeed.
    bool is_alive() const;
    // Stops the private cluster.
    void close();

  private:
    void set_private(const std::string& conninfo);

    Settings settings_;
    mutable std::mutex
        mutex_;  // of the next two: revived on another thread than the one that looks
    bool keeps_cluster_ = false;  // ours to run, until it is closed
    std::unique_ptr<postgres::EmbeddedCluster> cluster_;
    postgres::Target app_;
    postgres::Target migrate_;
    std::string worker_url_;
};

}  // namespace plimsoll::app
