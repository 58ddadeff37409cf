#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll {

// The name in `known` that a person most likely meant: the one with the same letters and digits;
// else the one that begins with them (if several do, the one that all others begin with, else
// none); else the only one that contains them; else the one with the fewest typing errors
// (insertions, deletions, substitutions, swapped neighbours; a substituted digit counts twice), at
// most one per three characters, ties going to the longest common prefix; else the longest one that
// the input begins with. Case and punctuation do not count.
std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known);

// " Did you mean \"…\"?", or empty: the end of an error message. Up to three names that begin with
// the input are all suggested: "\"h100_80gb\" or \"h100_94gb\"".
std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

}  // namespace plimsoll
