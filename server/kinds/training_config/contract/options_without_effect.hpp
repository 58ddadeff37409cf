#pragma once

#include "server/kinds/training_config/contract/request.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// Options of `args` that change nothing in the answer, each with its place. Options that turn
// something off (false, 0, none) are not reported. `request` is what was read from them.
FieldErrors options_without_effect(const nlohmann::json& args, const Request& request);

}  // namespace plimsoll::jobs::training_config
