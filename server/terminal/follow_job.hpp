#pragma once

#include "server/terminal/command_context.hpp"

#include <string>

namespace plimsoll::terminal {

// Shows a job's progress until it ends, and then how it ended; says why it waits when it does not
// start. Survives a restart of the server. Returns the exit status.
int follow_job(const CommandContext& context, const std::string& job_id);

}  // namespace plimsoll::terminal
