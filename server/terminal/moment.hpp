#pragma once

#include "engine/base/result.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace plimsoll::terminal {

// Turns the values of flags into times for the API: an age such as "90m", "24h" or "7d" becomes the
// time that long ago, a time stays one, and nothing stays nothing. The error names the flag.
Result<void> read_moments(std::initializer_list<std::pair<const char*, std::string*>> flags);

}  // namespace plimsoll::terminal
