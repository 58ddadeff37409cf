#pragma once

namespace plimsoll {

namespace queue {
class DatasetStore;
class JobSignals;
class JobStore;
class ShareStore;
}  // namespace queue
namespace identity {
class AuditStore;
class IdentityStore;
class InvitationStore;
class PasswordStore;
class ProviderStore;
}  // namespace identity
namespace teams {
class IdempotencyStore;
class ReportLinkStore;
class TeamRecordStore;
}  // namespace teams
namespace schedules {
class ScheduleStore;
}  // namespace schedules
namespace webhooks {
class WebhookStore;
}  // namespace webhooks

// What the API stores and reads. Every reference outlives its users.
struct Stores {
    queue::JobStore& jobs;
    queue::JobSignals& signals;
    queue::DatasetStore& datasets;
    queue::ShareStore& shares;
    identity::IdentityStore& identity;
    identity::PasswordStore& passwords;
    identity::InvitationStore& invitations;
    identity::ProviderStore& providers;
    identity::AuditStore& audit;
    teams::IdempotencyStore& idempotency;
    teams::TeamRecordStore& records;
    teams::ReportLinkStore& report_links;
    schedules::ScheduleStore& schedules;
    webhooks::WebhookStore& webhooks;
};

}  // namespace plimsoll
