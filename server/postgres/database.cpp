#include "server/postgres/database.hpp"

#include "server/postgres/identity/audit_store.hpp"
#include "server/postgres/identity/identity_store.hpp"
#include "server/postgres/identity/invitation_store.hpp"
#include "server/postgres/identity/password_store.hpp"
#include "server/postgres/identity/provider_store.hpp"
#include "server/postgres/jobs/dataset_store.hpp"
#include "server/postgres/jobs/job_signals.hpp"
#include "server/postgres/jobs/job_store.hpp"
#include "server/postgres/pool/listener.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/teams/idempotency_store.hpp"
#include "server/postgres/teams/report_link_store.hpp"
#include "server/postgres/teams/schedule_store.hpp"
#include "server/postgres/teams/share_store.hpp"
#include "server/postgres/teams/team_record_store.hpp"
#include "server/postgres/teams/webhook_store.hpp"
#include "server/postgres/workers/database_clock.hpp"
#include "server/postgres/workers/duties.hpp"
#include "server/postgres/workers/statistics.hpp"

namespace plimsoll::postgres {

struct ServerDatabase::Parts {
    Parts(const asio::any_io_executor& executor, const Target& target,
          const DatabaseOptions& options)
        : calls(executor, target, {.connections = options.connections}),
          slow_calls(executor, target, {.connections = 1}),
          listener(executor, target, options.poll),
          jobs(executor, calls),
          signals(executor, listener),
          identity(executor, calls),
          duties(executor, slow_calls, clock) {}

    Pool calls;
    Pool slow_calls;  // duties never delay a request
    Listener listener;
    DatabaseClock clock{calls};
    JobStore jobs;
    JobSignals signals;
    DatasetStore datasets{calls};
    ShareStore shares{calls};
    IdentityStore identity;
    PasswordStore passwords{calls, identity.known()};
    InvitationStore invitations{calls, identity.known()};
    ProviderStore providers{calls, identity.known()};
    AuditStore audit{calls};
    IdempotencyStore idempotency{calls};
    TeamRecordStore records{calls};
    ReportLinkStore report_links{calls};
    ScheduleStore schedules{calls};
    WebhookStore webhooks{calls};
    const Stores stores{jobs,      signals,      datasets,  shares,  identity,
                        passwords, invitations,  providers, audit,   idempotency,
                        records,   report_links, schedules, webhooks};

    Duties duties;
    Statistics statistics{slow_calls};
    DeliveryQueue deliveries{slow_calls};
    DueTimes due_times{slow_calls};
    const BackgroundStores background{duties, statistics, deliveries, due_times};
};

ServerDatabase::ServerDatabase(asio::any_io_executor executor, Target target,
                               DatabaseOptions options)
    : parts_(std::make_unique<Parts>(executor, target, options)) {}

ServerDatabase::~ServerDatabase() {
    stop();
}

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

bool ServerDatabase::is_up() const {
    return parts_->calls.is_up();
}

PoolLoad ServerDatabase::load() const {
    return parts_->calls.load();
}

const Clock& ServerDatabase::clock() const {
    return parts_->clock;
}

const Stores& ServerDatabase::stores() const {
    return parts_->stores;
}

const BackgroundStores& ServerDatabase::background() const {
    return parts_->background;
}

}  // namespace plimsoll::postgres
