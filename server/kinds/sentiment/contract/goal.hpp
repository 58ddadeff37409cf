#pragma once

#include "server/kinds/sentiment/contract/model_choice.hpp"
#include "server/kinds/sentiment/contract/models.hpp"

#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// The model of a job by its goal.
struct GoalChoice {
    std::optional<ScoringModel> model;  // none: VADER
    nlohmann::json reasons;             // a SentimentGoal of the contract
};
// `form`: that of the job, if it names one.
tl::expected<GoalChoice, FieldErrors> choose_by_goal(const std::string& goal,
                                                     const std::optional<std::string>& form,
                                                     const PlanningContext& planning_context,
                                                     std::span<const Manifest> models);

}  // namespace plimsoll::jobs::sentiment
