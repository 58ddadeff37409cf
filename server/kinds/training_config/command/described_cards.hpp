#pragma once

#include "engine/base/result.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// The arguments of an estimate with descriptions of cards that are not built in: here, "auto" is
// this machine's card (on a server, the pool's); an unknown name, in the arguments or in
// GPU_PROFILE, is the team's card if the user is signed in.
Result<nlohmann::json> with_described_cards(nlohmann::json args);

}  // namespace plimsoll::jobs::training_config
