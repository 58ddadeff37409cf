#include "server/postgres/database.hpp"

#include "server/identity/audit_store.hpp"
#include "server/identity/invitation_store.hpp"
#include "server/identity/password_store.hpp"
#include "server/identity/provider_store.hpp"
#include "server/postgres/identity/identity_store.hpp"
#include "server/postgres/pool/listener.hpp"
#include "server/postgres/stores.hpp"
#include "server/postgres/workers/database_clock.hpp"
#include "server/postgres/workers/duties.hpp"
#include "server/postgres/workers/statistics.hpp"
#include "server/queue/dataset.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"
#include "server/schedules/store.hpp"
#include "server/teams/idempotency_store.hpp"
#include "server/teams/report_link_store.hpp"
#include "server/teams/team_record_store.hpp"
#include "server/webhooks/store.hpp"

namespace plimsoll::postgres {

struct ServerDatabase::Parts {
    Parts(const asio::any_io_executor& executor, const Target& target,
          const DatabaseOptions& options)
        : calls(executor, target, {.connections = options.connections}),
          slow_calls(executor, target, {.connections = 1}),
          listener(executor, target, options.poll),
          identity(executor, calls),
          jobs(make_job_store(executor, calls, options.objects)),
          signals(make_job_signals(executor, listener)),
          datasets(make_dataset_store(calls, options.objects)),
          report_links(make_report_link_store(calls, options.objects)),
          duties(executor, slow_calls, clock, options.objects) {}

    Pool calls;
    Pool slow_calls;  // duties never delay a request
    Listener listener;
    DatabaseClock clock{calls};
    IdentityStore identity;
    const std::unique_ptr<queue::JobStore> jobs;
    const std::unique_ptr<queue::JobSignals> signals;
    const std::unique_ptr<queue::DatasetStore> datasets;
    const std::unique_ptr<queue::ShareStore> shares = make_share_store(calls);
    const std::unique_ptr<identity::PasswordStore> passwords =
        make_password_store(calls, identity.known());
    const std::unique_ptr<identity::InvitationStore> invitations =
        make_invitation_store(calls, identity.known());
    const std::unique_ptr<identity::ProviderStore> providers =
        make_provider_store(calls, identity.known());
    const std::unique_ptr<identity::AuditStore> audit = make_audit_store(calls);
    const std::unique_ptr<teams::IdempotencyStore> idempotency = make_idempotency_store(calls);
    const std::unique_ptr<teams::TeamRecordStore> records = make_team_record_store(calls);
    const std::unique_ptr<teams::ReportLinkStore> report_links;
    const std::unique_ptr<schedules::ScheduleStore> schedules = make_schedule_store(calls);
    const std::unique_ptr<webhooks::WebhookStore> webhooks = make_webhook_store(calls);
    const Stores stores{*jobs,      *signals,      *datasets,  *shares,  identity,
                        *passwords, *invitations,  *providers, *audit,   *idempotency,
                        *records,   *report_links, *schedules, *webhooks};

    Duties duties;
    Statistics statistics{slow_calls};
    const std::unique_ptr<webhooks::DeliveryQueue> deliveries = make_delivery_queue(slow_calls);
    const std::unique_ptr<schedules::DueTimes> due_times = make_due_times(slow_calls);
    const BackgroundStores background{duties, statistics, *deliveries, *due_times};
};

ServerDatabase::ServerDatabase(asio::any_io_executor executor, Target target,
                               DatabaseOptions options)
    : parts_(std::make_unique<Parts>(executor, target, options)) {}

ServerDatabase::~ServerDatabase() { stop(); }

void ServerDatabase::start() {
    parts_->calls.start();
    parts_->slow_calls.start();
    parts_->listener.start();
}

void ServerDatabase::stop() {
    parts_->listener.stop();
    parts_->slow_calls.stop();
    parts_->calls.stop();
}

void ServerDatabase::set_disk_full(bool full) {
    parts_->calls.set_disk_full(full);
    parts_->slow_calls.set_disk_full(full);
}

bool ServerDatabase::is_up() const { return parts_->calls.is_up(); }

PoolLoad ServerDatabase::load() const { return parts_->calls.load(); }

const Clock& ServerDatabase::clock() const { return parts_->clock; }

const Stores& ServerDatabase::stores() const { return parts_->stores; }

const BackgroundStores& ServerDatabase::background() const { return parts_->background; }

}  // namespace plimsoll::postgres
