#pragma once

#include "engine/base/result.hpp"

#include <optional>
#include <string>

namespace plimsoll::worker {

// An environment variable's value; nullopt if unset or empty.
std::optional<std::string> text_of(const char* variable);

// The value as an integer. Errc::invalid_input names the variable and its range.
Result<std::optional<int>> number_of(const char* variable, int least, int most);

}  // namespace plimsoll::worker
