#pragma once

#include "server/app/settings.hpp"
#include "server/postgres/cluster/embedded.hpp"
#include "server/postgres/driver/connect.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace plimsoll::app {

// The configured database, or the private cluster if none is configured.
class Database {
  public:
    // Starts or adopts the private cluster. Blocks.
    static Result<std::unique_ptr<Database>> open(const Settings& settings);
    // Attaches to a running server's private cluster, or to the configured database, without owning
    // it: for administration commands.
    static Result<std::unique_ptr<Database>> attach(const Settings& settings);

    // Whether the server owns a private cluster.
    bool embedded() const { return settings_.database.url.empty(); }
    const postgres::Target& app() const { return app_; }
    // False if the database is external and no migrate_url is set.
    bool can_migrate() const { return !migrate_.conninfo.empty(); }
    const postgres::Target& migrator() const { return migrate_; }
    // A connection string with the workers' role.
    const std::string& worker_url() const { return worker_url_; }

    // Tells attached administration commands where this process serves, if the cluster is private.
    void set_address(const std::string& address);
    // The address of the process that runs the private cluster, if one does.
    std::optional<std::string> address() const;

    // Restarts the private cluster if its postmaster is gone. Blocks: call it off the I/O thread.
    Result<void> restart();
    // False also after a failed restart; the next attempt may succeed.
    bool is_alive() const;
    // Stops the private cluster.
    void close();

  private:
    void set_private(const std::string& conninfo);

    Settings settings_;
    mutable std::mutex mutex_;    // guards the next two, which restart() changes on another thread
    bool keeps_cluster_ = false;  // this process runs it until close()
    std::unique_ptr<postgres::EmbeddedCluster> cluster_;
    postgres::Target app_;
    postgres::Target migrate_;
    std::string worker_url_;
};

}  // namespace plimsoll::app
