#pragma once

#include "server/http/endpoints/query.hpp"
#include "server/kinds/operations.hpp"

// The kind's own operations: what a team adds to the advice.
namespace plimsoll::jobs::training_config {

void add_gpu_profiles(http::Handlers& handlers, teams::TeamRecordStore& store);
void add_measurements(http::Handlers& handlers, teams::TeamRecordStore& store,
                      queue::JobStore& jobs);

// `services` must outlive the handlers.
void add_memory_comparisons(http::Handlers& handlers, const Services& services);

using http::endpoints::author_of;

}  // namespace plimsoll::jobs::training_config
