#pragma once

#include "engine/base/result.hpp"
#include "server/terminal/terminal.hpp"

namespace plimsoll::terminal {

// What every command is handed: where to write and in which form, and the exit code to set. It
// outlives the command line's parser, so that callbacks may keep a reference to it.
struct CommandContext {
    Terminal terminal;
    bool json = false;  // print JSON for programs instead of text for people
    int exit_code = 0;  // 0 done, 1 the job failed or the answer is no, else as of refuse()
};

// Prints the error and returns the exit code of its kind: 2 bad usage or input, 3 not signed in or
// not allowed, 4 the server does not answer.
int refuse(const CommandContext& context, const Error& error);
// The same with an exit code of the command's own.
int refuse(const CommandContext& context, const Error& error, int exit_code);

}  // namespace plimsoll::terminal
