#pragma once

#include <string_view>

namespace plimsoll::jobs::sentiment {

// The beginning of a text, to recognize it in rows and reports: at most 280 code points of valid
// UTF-8, never cut inside one.
std::string_view excerpt(std::string_view text);

}  // namespace plimsoll::jobs::sentiment
