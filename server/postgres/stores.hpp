#pragma once

#include "server/stores/stores.hpp"

#include <memory>

#include <boost/asio/any_io_executor.hpp>

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

class Listener;
class Pool;
class PrincipalCache;

// The stores on a pool, which has the role plimsoll_app and outlives them. `known` is the identity
// store's: what ends sessions or changes roles clears it. `objects`: see pool/contents; nullptr: no
// object store.
std::unique_ptr<queue::JobStore> make_job_store(boost::asio::any_io_executor executor, Pool& pool,
                                                outbound::ObjectStore* objects);
// Subscribes; `listener` must not be started yet, and must be stopped before this is destroyed.
std::unique_ptr<queue::JobSignals> make_job_signals(boost::asio::any_io_executor executor,
                                                    Listener& listener);
std::unique_ptr<queue::DatasetStore> make_dataset_store(Pool& pool, outbound::ObjectStore* objects);
std::unique_ptr<queue::ShareStore> make_share_store(Pool& pool);
std::unique_ptr<identity::PasswordStore> make_password_store(Pool& pool,
                                                             std::shared_ptr<PrincipalCache> known);
std::unique_ptr<identity::InvitationStore> make_invitation_store(
    Pool& pool, std::shared_ptr<PrincipalCache> known);
std::unique_ptr<identity::ProviderStore> make_provider_store(Pool& pool,
                                                             std::shared_ptr<PrincipalCache> known);
std::unique_ptr<identity::AuditStore> make_audit_store(Pool& pool);
std::unique_ptr<teams::IdempotencyStore> make_idempotency_store(Pool& pool);
std::unique_ptr<teams::TeamRecordStore> make_team_record_store(Pool& pool);
std::unique_ptr<teams::ReportLinkStore> make_report_link_store(Pool& pool,
                                                               outbound::ObjectStore* objects);
std::unique_ptr<schedules::ScheduleStore> make_schedule_store(Pool& pool);
std::unique_ptr<webhooks::WebhookStore> make_webhook_store(Pool& pool);
// With the pool of the duties, a claim never delays a request.
std::unique_ptr<schedules::DueTimes> make_due_times(Pool& pool);
std::unique_ptr<webhooks::DeliveryQueue> make_delivery_queue(Pool& pool);

}  // namespace plimsoll::postgres
