#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::text {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
    char32_t code_point = 0;
    std::uint32_t length = 0;  // bytes used, 1..4
    bool valid = true;         // false: code_point is U+FFFD for a broken sequence
};

// Decodes the code point at text[at] (at < text.size()). A broken sequence becomes one U+FFFD for
// each maximal well-formed prefix, as the Unicode standard recommends and as Python's "replace"
// does.
Decoded decode_utf8(std::string_view text, std::size_t at);

// Offset of the first byte that is not well-formed UTF-8 (overlong forms, surrogates and code
// points above U+10FFFF included).
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

void append_utf8(std::string& out, char32_t code_point);

// The longest prefix of at most max_bytes that does not cut a code point of well-formed text.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);

// True when every byte is below 0x80.
bool is_ascii(std::string_view text);

// Skips a UTF-8 byte order mark at the beginning of a file read in pieces, and detects UTF-16,
// which spreadsheets often export.
class ByteOrderMark {
  public:
    // Returns the content in `bytes`. A prefix that may still become a mark is held back; `held`
    // receives bytes held back earlier that proved to be content, which precede the rest.
    // Errc::invalid_input for UTF-16.
    struct Content {
        std::string_view held;
        std::string_view rest;
    };
    Result<Content> feed(std::string_view bytes);

    // The bytes still held back at the end of the file.
    std::string_view finish();

    // Saves and restores the state; see RecordScanner.
    void save(std::string& out) const;
    bool load(std::string_view& rest);

  private:
    static constexpr std::string_view kMark = "\xEF\xBB\xBF";
    std::size_t matched_ = 0;
    bool decided_ = false;
};

}  // namespace plimsoll::text
