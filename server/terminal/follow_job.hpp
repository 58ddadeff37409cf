#pragma once

#include "server/terminal/command_context.hpp"

#include <string>

namespace plimsoll::terminal {

// How a job ended is the output of a command, or a note beside an output that comes after it.
enum class Ending { output, note };

// Shows a job's progress until it ends, and then how it ended; says why it waits when it does not
// start. Survives a restart of the server. Returns the exit status.
int follow_job(const CommandContext& context, const std::string& job_id,
               Ending ending = Ending::output);

}  // namespace plimsoll::terminal
