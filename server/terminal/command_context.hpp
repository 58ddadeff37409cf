#pragma once

#include "engine/base/result.hpp"
#include "server/terminal/exit_status.hpp"
#include "server/terminal/terminal.hpp"

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
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
// returns its exit status: by default that of its code.
int refuse(const CommandContext& context, const Error& error,
           std::optional<ExitStatus> status = {});

// Ends a command, which `plimsoll` then reports with refuse().
struct Refused : std::exception {
    explicit Refused(Error why, std::optional<ExitStatus> exit_status = {})
        : error(std::move(why)), status(exit_status) {}
    Refused(Errc code, std::string message, std::string where = {})
        : Refused(Error{code, std::move(message), std::move(where)}) {}

    Error error;
    std::optional<ExitStatus> status;
};

// What a command cannot go on without.
template <class T>
T need(Result<T> result, std::optional<ExitStatus> status = {}) {
    if (!result) throw Refused(std::move(result.error()), status);
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace plimsoll::terminal
