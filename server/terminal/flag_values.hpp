#pragma once

#include "engine/base/result.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::terminal {

// Turns the values of flags into times for the API: an age such as "90m", "24h" or "7d" becomes the
// time that long ago, a time stays one, and nothing stays nothing. The error names the flag.
Result<void> read_moments(std::initializer_list<std::pair<const char*, std::string*>> flags);

// The words for priorities, as in the contract's Priority and the pages.
inline constexpr std::array<std::pair<std::string_view, int>, 4> kPriorities = {
    {{"low", -5}, {"normal", 0}, {"high", 5}, {"highest", 10}}};

// One of these words, or a number from -10 to 10, else Errc::invalid_input.
Result<int> parse_priority(std::string_view text);

}  // namespace plimsoll::terminal
