#pragma once

#include "engine/base/result.hpp"
#include "server/jobs/kind.hpp"

#include <filesystem>
#include <span>

namespace plimsoll::worker {

// Reads the variables of the kinds' settings, which the server passes to its workers; unset ones
// have their default. `cache`: directory of built kernels and tuned plans. Errc::invalid_input
// names the variable and its rule.
Result<jobs::KindSettings> kind_settings(std::span<const jobs::Run> kinds,
                                         std::filesystem::path cache);

}  // namespace plimsoll::worker
