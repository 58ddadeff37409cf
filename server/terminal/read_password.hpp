#pragma once

#include "engine/base/result.hpp"

#include <string>

namespace plimsoll::terminal {

// Asks on the terminal, without echo. Errc::unavailable: there is no terminal.
Result<std::string> ask_password(const std::string& prompt);

// The first line of a file; "-" is standard input. Empty: asks for it. A password is never an
// argument, which other users of the machine and the shell's history would see.
Result<std::string> read_password(const std::string& file, const std::string& prompt);

}  // namespace plimsoll::terminal
