#pragma once

#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/speed.hpp"

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// Chooses the model of a job by its goal: arguments with a "model", and the choice with its reasons
// as "goal", a SentimentGoal of the contract.
tl::expected<nlohmann::json, FieldErrors> with_goal(nlohmann::json args, const std::string& goal,
                                                    const Knowledge& knowledge,
                                                    std::span<const Manifest> models);

}  // namespace plimsoll::jobs::sentiment
