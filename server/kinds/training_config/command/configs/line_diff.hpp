#pragma once

#include <string>
#include <string_view>

namespace plimsoll::jobs::training_config {

// The difference of two texts, as a unified diff for `patch`: the fewest removed and added lines,
// with three lines of context. Empty if the texts are equal. Of texts with more than a thousand
// such lines, everything counts as changed.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace plimsoll::jobs::training_config
