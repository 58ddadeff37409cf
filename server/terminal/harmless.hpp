#pragma once

#include <string>
#include <string_view>

namespace plimsoll::terminal {

// The text without what a terminal obeys, such as a new title or a move of the cursor, or what
// reorders it: others' texts are printed. Tabs, ends of lines and our own styles stay.
std::string harmless(std::string_view text);

}  // namespace plimsoll::terminal
