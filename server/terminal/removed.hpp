#pragma once

#include "server/terminal/command_context.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

// The end of a command that removes a thing: nothing for people, its ID for programs. Returns the
// exit code.
template <class T>
int show_removed(const CommandContext& context, const Result<T>& done, const std::string& id) {
    if (!done) return refuse(context, done.error());
    if (context.json) context.terminal.line(nlohmann::json{{"id", id}}.dump(2));
    return 0;
}

}  // namespace plimsoll::terminal
