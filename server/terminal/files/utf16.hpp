#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::terminal {

// The same text in UTF-8, if a byte order mark says that it is UTF-16; code units without a partner
// become U+FFFD.
std::optional<std::string> from_utf16(std::string_view bytes);

}  // namespace plimsoll::terminal
