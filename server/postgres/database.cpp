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
#include "server/postgres/teams/answer_store.hpp"
#include "server/postgres/teams/baseline_store.hpp"
#include "server/postgres/teams/report_link_store.hpp"
#include "server/postgres/teams/saved_view_store.hpp"
#include "server/postgres/teams/schedule_store.hpp"
#include "server/postgres/teams/share_store.hpp"
#include "server/postgres/teams/team_record_store.hpp"
#include "server/postgres/teams/webhook_store.hpp"
#include "server/postgres/workers/database_clock.hpp"
#include "server/postgres/workers/duty_store.hpp"
#include "server/postgres/workers/statistics.hpp"

namespace plimsoll::postgres {

struct ServerDatabase::Parts {
    Parts(const asio::any_io_executor& executor, const Target& target,
          const DatabaseOptions& options)
        : calls(executor, target, {.connections = options.connections}),
          slow_calls(executor, target, {.connections = 1}),
          listener(executor, target, options.poll),
          clock(calls),
          jobs(executor, calls),
          datasets(calls),
          signals(executor, listener),
          shares(calls),
          baselines(calls),
          duties(slow_calls, clock),
          statistics(slow_calls),
          identity(executor, calls),
          passwords(calls, identity.known()),
          invitations(calls, identity.known()),
          providers(calls, identity.known()),
          saved_views(calls),
          report_links(calls),
          audit(calls),
          answers(calls),
          webhooks(calls),
          team_records(calls),
          deliveries(slow_calls),
          schedules(calls),
          due_times(slow_calls) {}

    Pool calls;
    Pool slow_calls;  // duties never delay a request
    Listener listener;
    DatabaseClock clock;
    JobStore jobs;
    DatasetStore datasets;
    JobSignals signals;
    ShareStore shares;
    BaselineStore baselines;
    DutyStore duties;
    Statistics statistics;
    IdentityStore identity;
    PasswordStore passwords;
    InvitationStore invitations;
    ProviderStore providers;
    SavedViewStore saved_views;
    ReportLinkStore report_links;
    AuditStore audit;
    AnswerStore answers;
    WebhookStore webhooks;
    TeamRecordStore team_records;
    DeliveryQueue deliveries;
    ScheduleStore schedules;
    DueTimes due_times;
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

queue::JobStore& ServerDatabase::jobs() {
    return parts_->jobs;
}

queue::DatasetStore& ServerDatabase::datasets() {
    return parts_->datasets;
}

queue::ShareStore& ServerDatabase::shares() {
    return parts_->shares;
}

queue::BaselineStore& ServerDatabase::baselines() {
    return parts_->baselines;
}

queue::JobSignals& ServerDatabase::signals() {
    return parts_->signals;
}

queue::DutyStore& ServerDatabase::duties() {
    return parts_->duties;
}

queue::Statistics& ServerDatabase::statistics() {
    return parts_->statistics;
}

identity::IdentityStore& ServerDatabase::identity() {
    return parts_->identity;
}

queue::AnswerStore& ServerDatabase::answers() {
    return parts_->answers;
}

identity::AuditStore& ServerDatabase::audit() {
    return parts_->audit;
}

identity::PasswordStore& ServerDatabase::passwords() {
    return parts_->passwords;
}

identity::InvitationStore& ServerDatabase::invitations() {
    return parts_->invitations;
}

identity::ProviderStore& ServerDatabase::providers() {
    return parts_->providers;
}

identity::SavedViewStore& ServerDatabase::saved_views() {
    return parts_->saved_views;
}

queue::ReportLinkStore& ServerDatabase::report_links() {
    return parts_->report_links;
}

webhooks::WebhookStore& ServerDatabase::webhooks() {
    return parts_->webhooks;
}

queue::TeamRecordStore& ServerDatabase::team_records() {
    return parts_->team_records;
}

webhooks::DeliveryQueue& ServerDatabase::deliveries() {
    return parts_->deliveries;
}

schedules::ScheduleStore& ServerDatabase::schedules() {
    return parts_->schedules;
}

schedules::DueTimes& ServerDatabase::due_times() {
    return parts_->due_times;
}

}  // namespace plimsoll::postgres
