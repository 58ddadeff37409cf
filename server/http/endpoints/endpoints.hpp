#pragma once

#include "server/base/time.hpp"
#include "server/http/access/password_service.hpp"
#include "server/http/access/provider_service.hpp"
#include "server/http/api/handler.hpp"
#include "server/http/api/services.hpp"
#include "server/identity/audit_store.hpp"
#include "server/identity/invitation_store.hpp"
#include "server/identity/store.hpp"
#include "server/jobs/kind.hpp"
#include "server/outbound/target.hpp"
#include "server/planning/planner.hpp"
#include "server/queue/dataset.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"
#include "server/schedules/store.hpp"
#include "server/teams/report_link_store.hpp"
#include "server/teams/team_record_store.hpp"
#include "server/webhooks/store.hpp"

#include <span>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

// One function per resource; each registers the handlers of its operations and takes only what it
// needs. The arguments must outlive the handlers.
namespace plimsoll::http::endpoints {

using Kinds = std::span<const jobs::Contract>;

void add_jobs(Handlers& handlers, queue::JobStore& store, queue::DatasetStore& datasets,
              planning::Planner& planner, const Clock& clock);
// `pool` cuts large jobs into tasks.
void add_job_bundles(Handlers& handlers, queue::JobStore& store, const planning::Planner& planner,
                     boost::asio::thread_pool& pool, const Clock& clock);
void add_job_redrive(Handlers& handlers, queue::JobStore& store, const Clock& clock);
void add_job_cancellations(Handlers& handlers, queue::JobStore& store);
void add_job_attempts(Handlers& handlers, queue::JobStore& store);
void add_job_logs(Handlers& handlers, queue::JobStore& store);
void add_job_tasks(Handlers& handlers, queue::JobStore& store);
void add_job_reading(Handlers& handlers, queue::JobStore& store, queue::JobSignals& signals,
                     Kinds kinds, const Draining& draining, const Clock& clock);
// A stream re-checks `identity` while it is open: revoking the credential ends it.
void add_job_events(Handlers& handlers, queue::JobStore& store, queue::JobSignals& signals,
                    identity::IdentityStore& identity, const Draining& draining,
                    const Clock& clock);
// Results of jobs and of linked reports. `pool` decompresses and converts chunks. Other server
// versions may encode the same rows differently, so downloads resume within one version only.
void add_job_results(Handlers& handlers, queue::JobStore& store, teams::ReportLinkStore& links,
                     Kinds kinds, boost::asio::thread_pool& pool,
                     const std::string& server_version);
void add_report_links(Handlers& handlers, queue::JobStore& jobs, teams::ReportLinkStore& store,
                      const Clock& clock);
void add_datasets(Handlers& handlers, queue::DatasetStore& store);
// `pool` cuts files into chunks and unpacks chunks.
void add_dataset_upload(Handlers& handlers, queue::DatasetStore& store,
                        boost::asio::thread_pool& pool);
void add_dataset_records(Handlers& handlers, queue::DatasetStore& store,
                         boost::asio::thread_pool& pool);
void add_devices(Handlers& handlers, queue::JobStore& store, queue::ShareStore& shares);
void add_queue(Handlers& handlers, queue::ShareStore& store);
void add_terms(Handlers& handlers, queue::ShareStore& store, identity::IdentityStore& people);
void add_usage(Handlers& handlers, queue::ShareStore& store, const Clock& clock);
// `pool` computes the estimates.
void add_estimates(Handlers& handlers, const planning::Planner& planner,
                   boost::asio::thread_pool& pool);

void add_schedules(Handlers& handlers, schedules::ScheduleStore& store, planning::Planner& planner,
                   const Clock& clock);

void add_sessions(Handlers& handlers, identity::IdentityStore& store, PasswordService& service,
                  ProviderService& providers, identity::InvitationStore& invitations,
                  const Clock& clock);
void add_user_identities(Handlers& handlers, identity::ProviderStore& store,
                         identity::IdentityStore& people);
void add_provider_sign_ins(Handlers& handlers, ProviderService& service);
void add_invitations(Handlers& handlers, identity::InvitationStore& store,
                     identity::IdentityStore& people, const Clock& clock);
void add_passwords(Handlers& handlers, identity::PasswordStore& store, PasswordService& service,
                   const Clock& clock);
void add_second_factor(Handlers& handlers, identity::PasswordStore& store,
                       PasswordService& service);
void add_users(Handlers& handlers, identity::IdentityStore& store, const Clock& clock);
void add_teams(Handlers& handlers, identity::IdentityStore& store);
void add_service_accounts(Handlers& handlers, identity::IdentityStore& store);
void add_audit(Handlers& handlers, identity::AuditStore& store);
void add_saved_views(Handlers& handlers, teams::TeamRecordStore& store);
void add_tokens(Handlers& handlers, identity::IdentityStore& store, const Clock& clock);

// `allowed`: where notices may be sent.
void add_webhooks(Handlers& handlers, webhooks::WebhookStore& store,
                  const outbound::AllowList& allowed);

struct Versions {
    std::string server;  // "0.1.0"
    std::string api;
    std::vector<std::string> kinds;
};
void add_operations(Handlers& handlers, queue::JobStore& store, const Draining& draining,
                    const Versions& versions);

}  // namespace plimsoll::http::endpoints
