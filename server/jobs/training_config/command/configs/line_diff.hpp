#pragma once

#include <string>
#include <string_view>

namespace plimsoll::jobs::training_config {

// What turns one text into the other, as a unified diff that `patch` takes: three lines of context,
// changed lines beside each other. Made for edits within lines: where lines come or go, all from
// the first to the last difference is one change. Empty where the texts are the same.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace plimsoll::jobs::training_config
