#include "server/terminal/files/utf16.hpp"

#include "engine/text/utf8.hpp"

namespace plimsoll::terminal {

std::optional<std::string> from_utf16(std::string_view bytes) {
    const bool little = bytes.starts_with("\xFF\xFE");
    if (!little && !bytes.starts_with("\xFE\xFF")) return {};
    const auto unit = [&](std::size_t at) {
        const auto low = static_cast<unsigned char>(bytes[at + (little ? 0 : 1)]);
        const auto high = static_cast<unsigned char>(bytes[at + (little ? 1 : 0)]);
        return static_cast<char32_t>(low | high << 8);
    };
    std::string out;
    out.reserve(bytes.size());
    for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
        char32_t c = unit(at);
        if (c >= 0xD800 && c < 0xE000) {
            const char32_t next = at + 3 < bytes.size() ? unit(at + 2) : 0;
            const bool pair = c < 0xDC00 && next >= 0xDC00 && next < 0xE000;
            c = pair ? 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00) : text::kReplacement;
            if (pair) at += 2;
        }
        text::append_utf8(out, c);
    }
    return out;
}

}  // namespace plimsoll::terminal
