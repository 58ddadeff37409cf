#pragma once

#include "server/jobs/rest/operations.hpp"

// The kind's own operations: what a team adds to the advice.
namespace plimsoll::jobs::training_config {

void add_gpu_profiles(http::Handlers& handlers, queue::TeamRecordStore& store);
void add_measurements(http::Handlers& handlers, queue::TeamRecordStore& store,
                      queue::JobStore& jobs);

inline queue::TeamRecordStore::Author author_of(const http::Call& call) {
    return {call.principal.team.id, call.principal.user.id, call.request.id};
}

}  // namespace plimsoll::jobs::training_config
