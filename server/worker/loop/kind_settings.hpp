#pragma once

#include "engine/base/result.hpp"
#include "server/jobs/kind.hpp"

#include <filesystem>
#include <span>

namespace plimsoll::worker {

// From the variables of the kinds' settings, which the server sets for its workers; what is not set
// has its default. `cache`: where this program keeps what it built and tuned. Errc::invalid_input
// names the variable and its rule.
Result<jobs::KindSettings> kind_settings(std::span<const jobs::Run> kinds,
                                         std::filesystem::path cache);

}  // namespace plimsoll::worker
