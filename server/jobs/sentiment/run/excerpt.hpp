#pragma once

#include <string_view>

namespace plimsoll::jobs::sentiment {

// The head of a text, to recognise it by in rows and reports: at most 280 code points of valid
// UTF-8, never cut inside one.
std::string_view excerpt(std::string_view text);

}  // namespace plimsoll::jobs::sentiment
