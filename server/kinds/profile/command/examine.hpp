#pragma once

#include "server/jobs/settings.hpp"
#include "server/terminal/finding.hpp"

#include <vector>

namespace plimsoll::jobs::profile {

// For `plimsoll doctor`: whether the language model endpoints are reachable from here.
std::vector<terminal::Finding> examine(const KindSettings& settings);

}  // namespace plimsoll::jobs::profile
