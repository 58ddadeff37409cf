#include "engine/sentiment/vader/expand.hpp"

#include "engine/sentiment/vader/emoji_table.hpp"
#include "engine/text/utf8.hpp"

namespace plimsoll::sentiment::vader {
namespace {

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
