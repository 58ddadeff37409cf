#pragma once

#include "server/jobs/kind.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// The arguments with what they leave to the server: the team's cards that are named, a device in
// the pool for "auto", and the correction by the team's measurements.
tl::expected<nlohmann::json, FieldErrors> complete(nlohmann::json args,
                                                   const PlanningContext& planning_context);

}  // namespace plimsoll::jobs::training_config
