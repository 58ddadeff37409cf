#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll {

// JSON that somebody else wrote. Discarded if it is malformed, or nested so deeply that copying or
// writing it, a call for each level, could exceed the stack.
inline nlohmann::json parse_outside_json(std::string_view text) {
    constexpr std::size_t kDeepest = 256;
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') quoted = !quoted;
        if (quoted) {
            at += c == '\\';
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepest) return nlohmann::json::value_t::discarded;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace plimsoll
