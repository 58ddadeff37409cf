#pragma once

#include "server/postgres/driver/connect.hpp"
#include "server/postgres/pool/pool.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

// The stores of `serve` and their connections. Single-threaded: call start() and stop() on the
// executor's thread or while it is not running.
namespace plimsoll::queue {
class AnswerStore;
class BaselineStore;
class DatasetStore;
class DutyStore;
class JobSignals;
class JobStore;
class ReportLinkStore;
class ShareStore;
class Statistics;
class TeamRecordStore;
}  // namespace plimsoll::queue
namespace plimsoll::identity {
class AuditStore;
class IdentityStore;
class InvitationStore;
class PasswordStore;
class ProviderStore;
class SavedViewStore;
}  // namespace plimsoll::identity
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
    std::size_t connections = 2;  // for calls; one for notifications and one for duties are extra
    std::chrono::milliseconds poll{2000};  // fallback for lost notifications
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

    queue::JobStore& jobs();
    queue::DatasetStore& datasets();
    queue::JobSignals& signals();
    queue::ShareStore& shares();
    queue::BaselineStore& baselines();
    queue::DutyStore& duties();
    queue::Statistics& statistics();
    identity::IdentityStore& identity();
    identity::PasswordStore& passwords();
    identity::InvitationStore& invitations();
    identity::ProviderStore& providers();
    identity::SavedViewStore& saved_views();
    queue::ReportLinkStore& report_links();
    identity::AuditStore& audit();
    queue::AnswerStore& answers();
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
