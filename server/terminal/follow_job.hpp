#pragma once

#include "server/terminal/command_context.hpp"

#include <string>

namespace plimsoll::terminal {

// Whether the end of a job is a command's output, or a note before other output.
enum class Ending { output, note };

// Shows a job's progress until it ends, and then how it ended; says why it waits if it does not
// start. Survives a restart of the server. Returns the exit status.
int follow_job(const CommandContext& context, const std::string& job_id,
               Ending ending = Ending::output);

}  // namespace plimsoll::terminal
