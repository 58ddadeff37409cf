#pragma once

#include <map>
#include <string>
#include <string_view>

namespace plimsoll::jobs::training_config {

// The new text of lines, by their number from 0. Lines that are added stand before the line's own.
using ChangedLines = std::map<std::size_t, std::string>;

// The change as a unified diff for `patch`, with three lines of context. Empty if there is none.
std::string unified_diff(std::string_view name, std::string_view before,
                         const ChangedLines& changed);

}  // namespace plimsoll::jobs::training_config
