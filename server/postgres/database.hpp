#pragma once

#include "server/postgres/connect.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

// The stores of one process, with their connections. Everything happens on the executor's one
// thread; start() and stop() are called on it or while it does not run.
namespace plimsoll::queue {
class DutyStore;
class JobSignals;
class JobStore;
class WorkerStore;
}  // namespace plimsoll::queue
namespace plimsoll::identity {
class IdentityStore;
}

namespace plimsoll::postgres {

// The roles that log in; migrations/0001_roles.sql makes them.
inline constexpr const char* kAppRole = "plimsoll_app";
inline constexpr const char* kWorkerRole = "plimsoll_worker";

struct DatabaseOptions {
    std::size_t connections = 2;  // for calls; a listening one and one for duties come on top
    std::chrono::milliseconds poll{2000};  // behind notifications, which may be lost
};

// Of `serve`. The target's role is plimsoll_app.
class ServerDatabase {
  public:
    ServerDatabase(asio::any_io_executor executor, Target target, DatabaseOptions options = {});
    ~ServerDatabase();

    void start();
    void stop();
    // Whether a connection is open now.
    bool is_up() const;

    queue::JobStore& jobs();
    queue::JobSignals& signals();
    queue::DutyStore& duties();
    identity::IdentityStore& identity();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Of a worker process. The target's role is plimsoll_worker.
class WorkerDatabase {
  public:
    WorkerDatabase(asio::any_io_executor executor, Target target,
                   DatabaseOptions options = {.connections = 1});
    ~WorkerDatabase();

    void start();
    void stop();

    queue::WorkerStore& worker();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::postgres
