#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll {

// The one of `known` that a person most likely meant: the same letters and digits, the only one
// that begins with or holds them, or at most a third of them mistyped (insertions, deletions,
// substitutions, neighbours swapped). Case and punctuation do not count.
std::optional<std::string> closest(std::string_view typed, std::span<const std::string> known);

// " Did you mean \"…\"?", or nothing: the end of an error's sentence.
std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

}  // namespace plimsoll
