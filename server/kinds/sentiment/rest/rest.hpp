#pragma once

#include "server/kinds/operations.hpp"
#include "server/kinds/sentiment/contract/models.hpp"

#include <memory>
#include <vector>

// The kind's own operations: models, policies, and immediate scores.
namespace plimsoll::jobs::sentiment {

class ModelOperations;

void add_models(http::Handlers& handlers, const Services& services,
                const std::shared_ptr<const ModelOperations>& operations);
void add_model_operations(http::Handlers& handlers, const Services& services,
                          const std::shared_ptr<ModelOperations>& operations);
void add_model_use(http::Handlers& handlers, const Services& services);
void add_policies(http::Handlers& handlers, const Services& services);
void add_policy_report(http::Handlers& handlers, const Services& services);
void add_scores(http::Handlers& handlers, const Services& services);

// The models of ready devices that the team may use.
std::vector<Manifest> models_of(const std::vector<queue::DeviceStatus>& devices, TeamId team);

// What depends on the model, as a SentimentUsedModel.
awaitable<Result<nlohmann::json>> use_of(const Services& services, TeamId team, std::string model);

}  // namespace plimsoll::jobs::sentiment
