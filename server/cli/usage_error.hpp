#pragma once

#include "engine/base/result.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace plimsoll::cli {

// The error of a command line as one sentence, which names the command or flag and suggests the
// most likely one.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace plimsoll::cli
