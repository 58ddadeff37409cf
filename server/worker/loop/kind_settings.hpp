#pragma once

#include "engine/base/result.hpp"
#include "server/jobs/kind.hpp"

#include <filesystem>

namespace plimsoll::worker {

// Reads LLM_ENDPOINT_URL, LLM_MODEL_NAME and LLM_TIMEOUT_SECS, which the server passes to its
// workers; unset ones have their default. `cache`: directory of built kernels and tuned plans.
// Errc::invalid_input names the variable and its rule.
Result<jobs::KindSettings> kind_settings(std::filesystem::path cache);

}  // namespace plimsoll::worker
