#pragma once

#include "server/terminal/terminal.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::terminal {

// A report of any kind as text: members as lines, lists of objects as tables, lists of {from, to,
// count} as bars. Kinds need no code for it.
std::string report_text(const Terminal& terminal, const nlohmann::json& report);

}  // namespace plimsoll::terminal
