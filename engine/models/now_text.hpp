#pragma once

#include <string>

namespace plimsoll::models {

// The current time, RFC 3339 in UTC, to the second.
std::string now_text();

}  // namespace plimsoll::models
