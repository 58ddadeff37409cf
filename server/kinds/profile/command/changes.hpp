#pragma once

#include "server/terminal/terminal.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

// The changes, in percent, of throughputs and rates that both reports have; a table for a terminal.
std::string changes_text(const terminal::Terminal& terminal, const nlohmann::json& before,
                         const nlohmann::json& now);

}  // namespace plimsoll::jobs::profile
