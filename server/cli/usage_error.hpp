#pragma once

#include "engine/base/result.hpp"

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace plimsoll::cli {

// The error of a command line as one sentence, which names the command or flag and suggests the
// most likely one.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

// The command that a group alone stands for: its `list`, else its `show` if that needs no name.
// Empty if the error is another one, or if the group has neither.
std::string listing_command(const CLI::App& app, const CLI::ParseError& error);

}  // namespace plimsoll::cli
