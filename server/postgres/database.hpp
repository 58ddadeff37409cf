#pragma once

#include "server/postgres/driver/connect.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/stores/stores.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

// The stores of `serve` and their connections. Single-threaded: call start() and stop() on the
// executor's thread or while it is not running.
namespace plimsoll::outbound {
class ObjectStore;
}  // namespace plimsoll::outbound
namespace plimsoll::schedules {
class DueTimes;
}  // namespace plimsoll::schedules
namespace plimsoll::webhooks {
class DeliveryQueue;
}  // namespace plimsoll::webhooks

namespace plimsoll::postgres {

class Duties;
class Statistics;

struct DatabaseOptions {
    std::size_t connections = 2;  // for calls; one for notifications and one for duties are extra
    std::chrono::milliseconds poll{2000};      // fallback for lost notifications
    outbound::ObjectStore* objects = nullptr;  // where contents of chunks are, if anywhere else
};

// What `serve` does besides answering requests; it has connections of its own.
struct BackgroundStores {
    Duties& duties;
    Statistics& statistics;
    webhooks::DeliveryQueue& deliveries;
    schedules::DueTimes& due_times;
};

// For `serve`. The target's role is plimsoll_app.
class ServerDatabase {
  public:
    ServerDatabase(asio::any_io_executor executor, Target target, DatabaseOptions options = {});
    ~ServerDatabase();

    void start();
    void stop();
    // Whether the database cannot be started because its disk is full.
    void set_disk_full(bool full);
    // Whether a connection is open now.
    bool is_up() const;
    // Load of the connections for calls.
    PoolLoad load() const;

    // The database's clock, once a duty has read it.
    const Clock& clock() const;

    const Stores& stores() const;
    const BackgroundStores& background() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::postgres
