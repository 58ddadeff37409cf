#pragma once

#include "server/jobs/settings.hpp"
#include "server/terminal/finding.hpp"

#include <vector>

namespace plimsoll::jobs::training_config {

// For `plimsoll doctor`: the default GPU profile against this machine's card.
std::vector<terminal::Finding> examine(const KindSettings& settings);

}  // namespace plimsoll::jobs::training_config
