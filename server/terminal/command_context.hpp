#pragma once

#include "engine/base/result.hpp"
#include "server/terminal/exit_status.hpp"
#include "server/terminal/terminal.hpp"

#include <functional>
#include <string>
#include <vector>

namespace plimsoll::terminal {

// Passed to every command: where to write and in which form, and the exit status to set. Outlives
// the command line's parser, so callbacks may keep a reference to it.
struct CommandContext {
    Terminal terminal;
    bool json = false;  // print JSON for programs instead of text for people
    int exit_code = 0;  // an ExitStatus
    // Flags and arguments of the command that runs, in which errors name what is wrong; empty: they
    // name places of the request.
    std::function<std::vector<std::string>()> inputs = {};
};

// Prints the error to standard error, with --json as {"error": {"code", "message", "where"}}, and
// returns its exit status.
int refuse(const CommandContext& context, const Error& error);
// The same with the command's own exit status.
int refuse(const CommandContext& context, const Error& error, ExitStatus status);

}  // namespace plimsoll::terminal
