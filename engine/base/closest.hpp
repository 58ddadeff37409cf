#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll {

// The name in `known` that a person most likely meant, ignoring case and punctuation. Tried in this
// order: the one with the same letters and digits; the one that begins with them (of several, the
// one that is a prefix of all others); the only one that contains them; the one with the fewest
// typing errors; the longest one that the input begins with. Typing errors are insertions,
// deletions, substitutions (of a digit: counted twice) and swapped neighbours, at most one per
// three characters. Ties go to the longest common prefix.
std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known);

// " Did you mean \"…\"?", or empty: the end of an error message. Up to three names that begin with
// the input are all suggested: "\"h100_80gb\" or \"h100_94gb\"".
std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

}  // namespace plimsoll
