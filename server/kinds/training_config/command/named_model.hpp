#pragma once

#include "engine/base/result.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// The arguments' "model" for a preset, a folder with a config.json, such a file, or a repository of
// a hub: from the local cache of Hugging Face, else from the hub, of which only config.json is
// fetched. `asks_hub`: whether it may be asked.
Result<nlohmann::json> named_model(const std::string& name, bool asks_hub);

}  // namespace plimsoll::jobs::training_config
