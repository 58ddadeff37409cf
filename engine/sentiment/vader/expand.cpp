#include "engine/sentiment/vader/expand.hpp"

#include "engine/sentiment/vader/data.hpp"
#include "engine/text/utf8.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace plimsoll::sentiment::vader {

namespace {

// Descriptions of emoji by code point, in pages of 64.
class EmojiTable {
  public:
    static const EmojiTable& instance() {
        static const EmojiTable table;
        return table;
    }

    // Empty when the code point has no description.
    std::string_view describe(char32_t code_point) const {
        if (code_point >= kEnd) return {};
        return pages_[page_of_[code_point / kPageSize]][code_point % kPageSize];
    }

  private:
    static constexpr char32_t kEnd = 0x20000;
    static constexpr std::size_t kPageSize = 64;
    using Page = std::array<std::string_view, kPageSize>;

    EmojiTable() : pages_(1) {
        for (const Emoji& entry : emoji()) {
            if (entry.code_point >= kEnd || pages_.size() > 0xFF)
                throw std::logic_error("The emoji list does not fit its table.");
            std::uint8_t& page = page_of_[entry.code_point / kPageSize];
            if (page == 0) {
                page = static_cast<std::uint8_t>(pages_.size());
                pages_.emplace_back();
            }
            pages_[page][entry.code_point % kPageSize] = entry.description;
        }
    }

    std::array<std::uint8_t, kEnd / kPageSize> page_of_{};  // 0 is the empty page
    std::vector<Page> pages_;
};

// The whitespace of Python's str.split above U+007F.
bool is_high_space(char32_t c) {
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace

void expand(std::string_view text, std::string& out) {
    const EmojiTable& emoji = EmojiTable::instance();
    out.clear();
    bool after_blank = true;  // only U+0020 of the input counts
    for (std::size_t at = 0; at < text.size();) {
        if (static_cast<signed char>(text[at]) >= 0) {
            after_blank = text[at] == ' ';
            out.push_back(text[at++]);
            continue;
        }
        const text::Decoded decoded = text::decode_utf8(text, at);
        const std::string_view description = emoji.describe(decoded.code_point);
        if (!description.empty()) {
            if (!after_blank) out.push_back(' ');
            out.append(description);
        } else if (is_high_space(decoded.code_point)) {
            out.push_back(' ');
        } else if (decoded.valid) {
            out.append(text, at, decoded.length);
        } else {
            text::append_utf8(out, text::kReplacement);
        }
        after_blank = false;
        at += decoded.length;
    }
}

}  // namespace plimsoll::sentiment::vader
