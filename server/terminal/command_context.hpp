#pragma once

#include "engine/base/result.hpp"
#include "server/terminal/exit_status.hpp"
#include "server/terminal/terminal.hpp"

namespace plimsoll::terminal {

// What every command is handed: where to write and in which form, and the exit status to set. It
// outlives the command line's parser, so that callbacks may keep a reference to it.
struct CommandContext {
    Terminal terminal;
    bool json = false;  // print JSON for programs instead of text for people
    int exit_code = 0;  // an ExitStatus
};

// Prints the error to standard error, with --json as {"error": {"code", "message", "where"}}, and
// returns the exit status of its kind.
int refuse(const CommandContext& context, const Error& error);
// The same with an exit status of the command's own.
int refuse(const CommandContext& context, const Error& error, ExitStatus status);

}  // namespace plimsoll::terminal
