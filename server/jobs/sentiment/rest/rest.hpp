#pragma once

#include "server/jobs/rest/operations.hpp"
#include "server/jobs/sentiment/contract/models.hpp"

#include <vector>

// The kind's own operations: models, policies, and immediate scores.
namespace plimsoll::jobs::sentiment {

void add_model_use(http::Handlers& handlers, const Services& services);
void add_policies(http::Handlers& handlers, Services services);
void add_policy_report(http::Handlers& handlers, const Services& services);
void add_scores(http::Handlers& handlers, const Services& services);

// The models of ready devices.
std::vector<Manifest> models_of(const std::vector<queue::DeviceStatus>& devices);

}  // namespace plimsoll::jobs::sentiment
