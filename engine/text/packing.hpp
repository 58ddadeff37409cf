#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Packs integers (little-endian) and strings (prefixed with their length as u32).
namespace plimsoll::text {

template <class T>
void pack_integer(std::string& out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
        out.push_back(static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFF));
}

inline void pack_string(std::string& out, std::string_view text) {
    pack_integer(out, static_cast<std::uint32_t>(text.size()));
    out.append(text);
}

// Each removes its value from the front of `rest`; false when `rest` is too short.
template <class T>
bool unpack_integer(std::string_view& rest, T& value) {
    if (rest.size() < sizeof(T)) return false;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        bits |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(rest[i])) << (8 * i);
    value = static_cast<T>(bits);
    rest.remove_prefix(sizeof(T));
    return true;
}

inline bool unpack_string(std::string_view& rest, std::string_view& text) {
    std::uint32_t length = 0;
    if (!unpack_integer(rest, length) || rest.size() < length) return false;
    text = rest.substr(0, length);
    rest.remove_prefix(length);
    return true;
}

}  // namespace plimsoll::text
