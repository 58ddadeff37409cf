#pragma once

#include "engine/base/result.hpp"
#include "server/jobs/kind.hpp"

#include <filesystem>

namespace plimsoll::worker {

// From LLM_ENDPOINT_URL, LLM_MODEL_NAME and LLM_TIMEOUT_SECS, which the server hands to its
// workers; what is not set has its default. `cache`: where this program keeps what it built and
// tuned. Errc::invalid_input names the variable and its rule.
Result<jobs::KindSettings> kind_settings(std::filesystem::path cache);

}  // namespace plimsoll::worker
