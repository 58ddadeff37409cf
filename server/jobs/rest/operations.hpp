#pragma once

#include "server/http/api/handler.hpp"
#include "server/queue/store.hpp"
#include "server/queue/team_record_store.hpp"

// Operations of one kind's own, beside the jobs, estimates and offers that the server serves for
// all kinds alike.
namespace plimsoll::jobs {

// What their handlers may use; must outlive them.
struct Stores {
    queue::JobStore& jobs;
    queue::TeamRecordStore& records;
};

// Adds the handlers of every kind that has a part `rest/`.
void add_operations(http::Handlers& handlers, Stores stores);

}  // namespace plimsoll::jobs
