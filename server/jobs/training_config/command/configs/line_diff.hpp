#pragma once

#include <string>
#include <string_view>

namespace plimsoll::jobs::training_config {

// The difference of two texts, as a unified diff for `patch`: three lines of context, changed lines
// next to each other. Made for edits within lines: if lines are added or removed, everything from
// the first to the last difference is one change. Empty if the texts are equal.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace plimsoll::jobs::training_config
