#pragma once

#include "engine/base/result.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace plimsoll::terminal {

// The words for priorities, as in the contract's Priority and the pages.
inline constexpr std::array<std::pair<std::string_view, int>, 4> kPriorities = {
    {{"low", -5}, {"normal", 0}, {"high", 5}, {"highest", 10}}};

// One of these words, or a number from -10 to 10, else Errc::invalid_input.
Result<int> parse_priority(std::string_view text);

}  // namespace plimsoll::terminal
