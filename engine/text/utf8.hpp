#pragma once

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

// A file that arrives in pieces of any size, as UTF-8: without its byte order mark, and converted
// if the mark says that it is UTF-16, which spreadsheets often export. Code units without a partner
// become U+FFFD.
class Utf8Input {
  public:
    // What is known of the content so far and was not returned before; valid until the next call.
    // Bytes that a mark or a code unit may continue are held back.
    std::string_view feed(std::string_view bytes);
    // The bytes still held back at the end of the file.
    std::string_view finish();

    // Saves and restores the state; see RecordScanner.
    void save(std::string& out) const;
    bool load(std::string_view& rest);

  private:
    enum class Encoding : std::uint8_t { unknown, utf8, utf16_little, utf16_big };

    void find_encoding();
    void convert(bool is_end);

    Encoding encoding_ = Encoding::unknown;
    std::string held_;
    std::string converted_;
};

}  // namespace plimsoll::text
