#pragma once

#include "engine/base/result.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace plimsoll::terminal {

// The words for priorities, as the contract's Priority and the pages have them.
inline constexpr std::array<std::pair<std::string_view, int>, 4> kPriorities = {
    {{"low", -5}, {"normal", 0}, {"high", 5}, {"highest", 10}}};

// One of these words, or a number from -10 to 10. Errc::invalid_input says so.
Result<int> parse_priority(std::string_view text);

}  // namespace plimsoll::terminal
