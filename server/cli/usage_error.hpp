#pragma once

#include "engine/base/result.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace plimsoll::cli {

// What is wrong with a command line, as one sentence that names the command or flag, with the one
// that was probably meant.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace plimsoll::cli
