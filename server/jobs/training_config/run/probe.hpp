#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/training_config/contract/request.hpp"

namespace plimsoll::jobs::training_config {

// A TrainingDeviceMeasured of the worker's device; what could not be measured has its `error`.
// Errc::cancelled when stopped.
Result<nlohmann::json> probe_json(const Request& request, RunContext& context);

}  // namespace plimsoll::jobs::training_config
