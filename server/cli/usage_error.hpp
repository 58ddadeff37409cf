#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace plimsoll::cli {

// The error of a command line as one sentence, which names the command or flag and suggests the
// most likely one.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

// The same for a word that `command` does not know: a command, a flag or an argument.
Error unknown_command(const CLI::App& command, const std::string& word);

// The flags and the arguments, by name, of the command that was parsed.
std::vector<std::string> inputs_of(const CLI::App& app);

// The command that a group alone stands for: its `list`, else its `show` if that needs no name.
// Empty if the error is another one, or if the group has neither.
std::string listing_command(const CLI::App& app, const CLI::ParseError& error);

}  // namespace plimsoll::cli
