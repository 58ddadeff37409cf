#pragma once

#include "server/jobs/kind.hpp"
#include "server/kinds/training_config/contract/request.hpp"

namespace plimsoll::jobs::training_config {

// A TrainingDeviceMeasured of the worker's device, with an `error` if it could not be measured.
// Errc::cancelled if stopped.
Result<nlohmann::json> probe_json(const Request& request, RunContext& context);

}  // namespace plimsoll::jobs::training_config
