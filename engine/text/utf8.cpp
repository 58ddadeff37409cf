#include "engine/text/utf8.hpp"

#include "engine/text/packing.hpp"

#include <cstring>
#include <utility>

namespace plimsoll::text {
namespace {

// Part of a byte order mark, or of two code units.
constexpr std::size_t kMaxHeld = 3;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

std::uint8_t byte_at(std::string_view text, std::size_t at) {
    return static_cast<std::uint8_t>(text[at]);
}

// A lead byte's number of continuation bytes and the range of the first one, which excludes
// overlong forms, surrogates and too large values (Unicode standard, table 3-7).
struct Lead {
    int continuations = 0;  // 0: not a lead byte
    std::uint8_t first_low = 0x80;
    std::uint8_t first_high = 0xBF;
};

Lead classify_lead(std::uint8_t byte) {
    if (byte >= 0xC2 && byte <= 0xDF) return {.continuations = 1};
    if (byte == 0xE0) return {.continuations = 2, .first_low = 0xA0};
    if (byte == 0xED) return {.continuations = 2, .first_high = 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF) return {.continuations = 2};
    if (byte == 0xF0) return {.continuations = 3, .first_low = 0x90};
    if (byte == 0xF4) return {.continuations = 3, .first_high = 0x8F};
    if (byte >= 0xF1 && byte <= 0xF3) return {.continuations = 3};
    return {};
}

}  // namespace

Decoded decode_utf8(std::string_view text, std::size_t at) {
    const std::uint8_t first = byte_at(text, at);
    if (first < 0x80) return {first, 1, true};
    const Lead lead = classify_lead(first);
    if (lead.continuations == 0) return {kReplacement, 1, false};
    char32_t code_point = first & (0x3F >> lead.continuations);
    for (int i = 1; i <= lead.continuations; ++i) {
        const std::uint8_t low = i == 1 ? lead.first_low : 0x80;
        const std::uint8_t high = i == 1 ? lead.first_high : 0xBF;
        const std::size_t next = at + static_cast<std::size_t>(i);
        if (next >= text.size() || byte_at(text, next) < low || byte_at(text, next) > high)
            return {kReplacement, static_cast<std::uint32_t>(i), false};
        code_point = (code_point << 6) | (byte_at(text, next) & 0x3F);
    }
    return {code_point, static_cast<std::uint32_t>(lead.continuations + 1), true};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        if (at + 8 <= text.size()) {
            std::uint64_t word;
            std::memcpy(&word, text.data() + at, 8);
            if ((word & kHighBits) == 0) {
                at += 8;
                continue;
            }
        }
        const Decoded decoded = decode_utf8(text, at);
        if (!decoded.valid) return at;
        at += decoded.length;
    }
    return std::nullopt;
}

void append_utf8(std::string& out, char32_t c) {
    if (c < 0x80) {
        out.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
        out.push_back(static_cast<char>(0xC0 | (c >> 6)));
        out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        out.push_back(static_cast<char>(0xE0 | (c >> 12)));
        out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    } else {
        out.push_back(static_cast<char>(0xF0 | (c >> 18)));
        out.push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    }
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    std::size_t end = max_bytes;
    while (end > 0 && (byte_at(text, end) & 0xC0) == 0x80) --end;
    return text.substr(0, end);
}

bool is_ascii(std::string_view text) {
    std::size_t at = 0;
    std::uint64_t seen = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + at, 8);
        seen |= word;
    }
    for (; at < text.size(); ++at) seen |= byte_at(text, at);
    return (seen & kHighBits) == 0;
}

std::string_view Utf8Input::feed(std::string_view bytes) {
    if (encoding_ == Encoding::utf8) return bytes;
    held_ += bytes;
    if (encoding_ == Encoding::unknown) find_encoding();
    converted_.clear();
    if (encoding_ == Encoding::utf8)
        converted_.swap(held_);
    else if (encoding_ != Encoding::unknown)
        convert(false);
    return converted_;
}

std::string_view Utf8Input::finish() {
    converted_.clear();
    if (encoding_ == Encoding::unknown)
        converted_.swap(held_);
    else
        convert(true);
    return converted_;
}

void Utf8Input::find_encoding() {
    constexpr std::pair<std::string_view, Encoding> kMarks[] = {
        {"\xEF\xBB\xBF", Encoding::utf8},
        {"\xFF\xFE", Encoding::utf16_little},
        {"\xFE\xFF", Encoding::utf16_big}};
    for (const auto& [mark, encoding] : kMarks) {
        if (mark.starts_with(held_) && held_.size() < mark.size()) return;
        if (!held_.starts_with(mark)) continue;
        held_.erase(0, mark.size());
        encoding_ = encoding;
        return;
    }
    encoding_ = Encoding::utf8;
}

void Utf8Input::convert(bool is_end) {
    const bool little = encoding_ == Encoding::utf16_little;
    const auto unit = [&](std::size_t at) {
        const auto first = byte_at(held_, at);
        const auto second = byte_at(held_, at + 1);
        return static_cast<char32_t>(little ? first | second << 8 : first << 8 | second);
    };
    std::size_t at = 0;
    while (at + 1 < held_.size()) {
        char32_t c = unit(at);
        const bool leads = c >= 0xD800 && c < 0xDC00;
        if (leads && at + 3 >= held_.size() && !is_end) break;
        at += 2;
        if (c >= 0xD800 && c < 0xE000) {
            const char32_t next = at + 1 < held_.size() ? unit(at) : 0;
            const bool pair = leads && next >= 0xDC00 && next < 0xE000;
            c = pair ? 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00) : kReplacement;
            if (pair) at += 2;
        }
        append_utf8(converted_, c);
    }
    held_.erase(0, at);
    if (is_end && !held_.empty()) append_utf8(converted_, kReplacement);
}

void Utf8Input::save(std::string& out) const {
    pack_integer(out, static_cast<std::uint8_t>(encoding_));
    pack_string(out, held_);
}

bool Utf8Input::load(std::string_view& rest) {
    std::uint8_t encoding = 0;
    std::string_view held;
    if (!unpack_integer(rest, encoding) || !unpack_string(rest, held)) return false;
    if (encoding > static_cast<std::uint8_t>(Encoding::utf16_big) || held.size() > kMaxHeld)
        return false;
    encoding_ = static_cast<Encoding>(encoding);
    held_ = held;
    return true;
}

}  // namespace plimsoll::text
