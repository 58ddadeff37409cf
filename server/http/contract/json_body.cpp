#include "server/http/contract/json_body.hpp"

#include "server/http/messages/limits.hpp"

#include <algorithm>

namespace plimsoll::http {

using nlohmann::json;

namespace {

// Bytes of the UTF-8 sequence that begins here; 0 if invalid (overlong forms, surrogates and what
// lies above U+10FFFF included).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
    if (byte(1) < low || byte(1) > high) return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    return length;
}

// Looked for before the parse, which recurses.
std::optional<std::size_t> too_deep(std::string_view text) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > limits::kJsonDepth) return i;
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return std::nullopt;
}

std::string at_byte(std::size_t offset) {
    return " at byte " + std::to_string(offset) + ".";
}

// nlohmann's sentence without its number and without the quotation of what was read, which may be
// as long as the body.
std::string shorten(std::string_view what) {
    what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
    const auto quotation = what.find("; last read");
    return std::string(what.substr(0, std::min<std::size_t>(quotation, 200)));
}

}  // namespace

std::optional<std::size_t> invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto length = sequence_length(text.substr(i, 4));
        if (length == 0) return i;
        i += length;
    }
    return std::nullopt;
}

Outcome<json> parse_json(std::string_view text) {
    if (const auto offset = invalid_utf8(text)) {
        return refuse(400, "The body is not valid UTF-8" + at_byte(*offset));
    }
    if (const auto offset = too_deep(text)) {
        return refuse(400, "The body is nested deeper than " + std::to_string(limits::kJsonDepth) +
                               " levels" + at_byte(*offset));
    }
    try {
        return json::parse(text);
    } catch (const json::exception& error) {
        return refuse(400, "The body is not JSON: " + shorten(error.what()) + ".");
    }
}

}  // namespace plimsoll::http
