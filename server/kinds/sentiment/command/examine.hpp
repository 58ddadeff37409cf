#pragma once

#include "server/jobs/settings.hpp"
#include "server/terminal/finding.hpp"

#include <vector>

namespace plimsoll::jobs::sentiment {

// For `plimsoll doctor`: the models of this machine.
std::vector<terminal::Finding> examine(const KindSettings& settings);

}  // namespace plimsoll::jobs::sentiment
