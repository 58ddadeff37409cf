#pragma once

#include <string>
#include <string_view>

namespace plimsoll::sentiment::vader {

// Writes `text` to `out` with emoji replaced by their descriptions, whitespace above U+007F
// replaced by U+0020 (which splits alike) and broken UTF-8 by U+FFFD. A description is set off by a
// blank before it unless one is there, and by none after it, as in the reference. A text of ASCII
// alone would come out unchanged.
void expand(std::string_view text, std::string& out);

}  // namespace plimsoll::sentiment::vader
