#pragma once

#include "server/terminal/command_context.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

// Prints a page of `items`: as JSON for programs, or as a table below the header in `rows`; `none`
// replaces an empty one. Returns the exit code.
int show_list(const CommandContext& context, const Result<nlohmann::json>& page,
              std::vector<std::vector<std::string>> rows,
              std::vector<std::string> (*row_of)(const nlohmann::json&), const std::string& none);

}  // namespace plimsoll::terminal
