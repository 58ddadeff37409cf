#pragma once

#include <optional>
#include <string_view>

namespace plimsoll {

inline constexpr std::string_view kFlagRule = "must be true or false (also 1, yes, on; 0, no, off)";

// A switch in a settings file or the environment, as people write it.
inline std::optional<bool> parse_flag(std::string_view text) {
    for (const auto* on : {"true", "1", "yes", "on"})
        if (text == on) return true;
    for (const auto* off : {"false", "0", "no", "off"})
        if (text == off) return false;
    return std::nullopt;
}

}  // namespace plimsoll
