#pragma once

#include "server/terminal/command_context.hpp"

#include <string>

namespace plimsoll::cli {

using terminal::CommandContext;

// Prints a job's report. Returns the exit code.
int show_report(const CommandContext& context, const std::string& job_id);

}  // namespace plimsoll::cli
