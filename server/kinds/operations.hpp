#pragma once

#include "server/base/time.hpp"
#include "server/http/api/draining.hpp"
#include "server/http/api/handler.hpp"
#include "server/identity/audit_store.hpp"
#include "server/jobs/settings.hpp"
#include "server/planning/planner.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"
#include "server/queue/team_record_store.hpp"

#include <boost/asio/thread_pool.hpp>

// The kinds' own operations, besides the jobs, estimates and offers that the server provides for
// all kinds.
namespace plimsoll::jobs {

// The dependencies of their handlers; references must outlive them.
struct Services {
    queue::JobStore& jobs;
    queue::JobSignals& signals;
    queue::TeamRecordStore& records;
    queue::ShareStore& shares;
    identity::AuditStore& audit;
    planning::Planner& planner;
    const http::Draining& draining;
    const Clock& clock;
    boost::asio::thread_pool& pool;  // for work that would block the I/O thread
    KindSettings settings = {};
};

// Adds the handlers of every kind that has a folder `rest/`.
void add_operations(http::Handlers& handlers, Services services);

}  // namespace plimsoll::jobs
