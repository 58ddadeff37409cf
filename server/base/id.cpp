#include "server/base/id.hpp"

namespace plimsoll {
namespace {

constexpr std::string_view kDigits =
    "0123456789abcdefghjkmnpqrstvwxyz";  // Crockford: no i, l, o, u
constexpr std::size_t kLength = 13;      // 13 * 5 bits hold 63

}  // namespace

std::string public_id(std::string_view prefix, std::int64_t value) {
    std::string text(prefix);
    text += '_';
    const auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = kLength; i-- > 0;) text += kDigits[(bits >> (5 * i)) & 31];
    return text;
}

std::optional<std::int64_t> parse_public_id(std::string_view prefix, std::string_view text) {
    if (text.size() != prefix.size() + 1 + kLength || !text.starts_with(prefix) ||
        text[prefix.size()] != '_') {
        return std::nullopt;
    }
    std::uint64_t bits = 0;
    for (const char c : text.substr(prefix.size() + 1)) {
        const auto digit = kDigits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        bits = (bits << 5) | digit;
    }
    // 13 digits hold 65 bits; ids are positive 63-bit numbers.
    const auto first = kDigits.find(text[prefix.size() + 1]);
    if (first > 7) return std::nullopt;
    return static_cast<std::int64_t>(bits);
}

}  // namespace plimsoll
