#pragma once

#include "server/kinds/training_config/contract/request.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// Checked like the API's: first against openapi.yaml, then by the kind.
tl::expected<Request, FieldErrors> checked_request(const nlohmann::json& args);
// Likewise, for settings that were read from files of others: some may have no effect.
tl::expected<Request, FieldErrors> checked_run(const nlohmann::json& args);

}  // namespace plimsoll::jobs::training_config
