#pragma once

#include "server/postgres/driver/connect.hpp"
#include "server/postgres/pool/pool.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

// The stores of `serve`, with their connections. Everything happens on the executor's one
// thread; start() and stop() are called on it or while it does not run.
namespace plimsoll::queue {
class BaselineStore;
class DatasetStore;
class DutyStore;
class JobSignals;
class JobStore;
class ShareStore;
class Statistics;
class TeamRecordStore;
}  // namespace plimsoll::queue
namespace plimsoll::identity {
class IdentityStore;
}
namespace plimsoll::schedules {
class DueTimes;
class ScheduleStore;
}  // namespace plimsoll::schedules
namespace plimsoll::webhooks {
class DeliveryQueue;
class WebhookStore;
}  // namespace plimsoll::webhooks

namespace plimsoll::postgres {

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
    // Of the connections for calls.
    PoolLoad load() const;

    // The database's, once `duties` read it.
    const Clock& clock() const;

    queue::JobStore& jobs();
    queue::DatasetStore& datasets();
    queue::JobSignals& signals();
    queue::ShareStore& shares();
    queue::BaselineStore& baselines();
    queue::DutyStore& duties();
    queue::Statistics& statistics();
    identity::IdentityStore& identity();
    webhooks::WebhookStore& webhooks();
    queue::TeamRecordStore& team_records();
    webhooks::DeliveryQueue& deliveries();
    schedules::ScheduleStore& schedules();
    schedules::DueTimes& due_times();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::postgres
