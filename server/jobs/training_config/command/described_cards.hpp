#pragma once

#include "engine/base/result.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// The arguments of an estimate with descriptions of cards that are not built in: "auto" is this
// machine's card here, as it is the pool's on a server; an unknown name, in the arguments or in
// GPU_PROFILE, is the team's card if the user is signed in.
Result<nlohmann::json> with_described_cards(nlohmann::json args);

}  // namespace plimsoll::jobs::training_config
