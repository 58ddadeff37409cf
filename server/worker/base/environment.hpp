#pragma once

#include "engine/base/result.hpp"

#include <optional>
#include <string>

namespace plimsoll::worker {

// What a variable of the environment says; nothing where it is not set, or empty.
std::optional<std::string> text_of(const char* variable);

// The same as a whole number. Errc::invalid_input names the variable and its rule.
Result<std::optional<int>> number_of(const char* variable, int least, int most);

}  // namespace plimsoll::worker
