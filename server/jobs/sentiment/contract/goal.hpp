#pragma once

#include "server/jobs/sentiment/contract/models.hpp"

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// What it took to score the team's texts of the last days, by model; see store/sentiment_speed.sql.
inline constexpr Collection kSpeeds{"sentiment_speed", 0, 1000};

// Chooses the model of a job by its goal: arguments with a "model", and the choice with its reasons
// as "goal", a SentimentGoal of the contract.
tl::expected<nlohmann::json, FieldErrors> with_goal(nlohmann::json args, const std::string& goal,
                                                    const Knowledge& knowledge,
                                                    std::span<const Manifest> models);

}  // namespace plimsoll::jobs::sentiment
