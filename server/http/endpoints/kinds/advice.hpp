#pragma once

#include "server/advice/advisor.hpp"
#include "server/http/api/handler.hpp"
#include "server/queue/store.hpp"

// As of endpoints.hpp, of what a team adds to the training advice.
namespace plimsoll::http::endpoints {

void add_gpu_profiles(Handlers& handlers, advice::RecordStore& store,
                      const advice::Advisor& advisor);
void add_training_measurements(Handlers& handlers, advice::RecordStore& store,
                               queue::JobStore& jobs, const advice::Advisor& advisor);

}  // namespace plimsoll::http::endpoints
