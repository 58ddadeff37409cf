#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll {

// The one of `known` that a person most likely meant: the same letters and digits; else the only
// one that contains them; else the one with the fewest typing mistakes (insertions, deletions,
// substitutions, swapped neighbours; a substituted digit counts twice), at most one in three
// characters, ties going to the longest common prefix; else the longest that what was typed begins
// with. Case and punctuation do not count.
std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known);

// " Did you mean \"…\"?", or nothing: the end of an error's sentence.
std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

}  // namespace plimsoll
