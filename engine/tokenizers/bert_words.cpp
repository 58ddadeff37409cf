#include "engine/tokenizers/bert_words.hpp"

#include "engine/text/utf8.hpp"
#include "engine/tokenizers/characters.hpp"

#include <array>

#include <utf8proc.h>

namespace plimsoll::tokenizers {
namespace {

constexpr bool is_ascii_punctuation(char32_t c) {
    return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
           (c >= U'{' && c <= U'~');
}

}  // namespace

void BertWords::each(std::string_view text, const std::function<void(std::string_view)>& take) {
    take_ = &take;
    word_.clear();
    for (std::size_t at = 0; at < text.size();) {
        const auto decoded = text::decode_utf8(text, at);
        at += decoded.length;
        add(decoded.code_point);
    }
    finish_word();
}

void BertWords::add(char32_t character) {
    constexpr char32_t kAscii = 0x80;
    if (character < kAscii && character > U' ' && character != 0x7f) {
        return add_lower(character);  // neither accents nor Chinese
    }
    if (rules_.clean && is(CharacterClass::dropped, character)) return;
    if (is(CharacterClass::space, character)) return finish_word();
    if (rules_.split_chinese && is(CharacterClass::chinese, character)) {
        finish_word();
        add_stripped(character);
        return finish_word();
    }
    add_stripped(character);
}

// Marks are dropped, so their order within a character does not matter.
void BertWords::add_stripped(char32_t character) {
    if (!rules_.strip_accents) return add_lower(character);
    if (is(CharacterClass::whole, character)) return add_lower(character);
    std::array<utf8proc_int32_t, 32> parts{};
    int boundary = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character), parts.data(),
                                parts.size(), UTF8PROC_DECOMPOSE, &boundary);
    if (count < 1 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
        return add_lower(character);
    }
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
        const auto part = static_cast<char32_t>(parts[static_cast<std::size_t>(i)]);
        if (!is(CharacterClass::mark, part)) add_lower(part);
    }
}

void BertWords::add_lower(char32_t character) {
    const char32_t shown = rules_.lower_case ? lower(character) : character;
    if (is_ascii_punctuation(shown) || is(CharacterClass::punctuation, shown)) {
        finish_word();
        text::append_utf8(word_, shown);
        return finish_word();
    }
    if (is(CharacterClass::space, shown)) return finish_word();
    text::append_utf8(word_, shown);
    // The only character with two in lower case.
    if (rules_.lower_case && character == U'\u0130') text::append_utf8(word_, U'\u0307');
}

void BertWords::finish_word() {
    if (!word_.empty()) (*take_)(word_);
    word_.clear();
}

}  // namespace plimsoll::tokenizers
