#include "engine/tokenizers/special_tokens.hpp"

#include "engine/text/utf8.hpp"
#include "engine/tokenizers/characters.hpp"

#include <bitset>

namespace plimsoll::tokenizers {
namespace {

// The last character before `end`.
std::size_t previous(std::string_view text, std::size_t end) {
    --end;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    return end;
}

bool is_space(std::string_view text, std::size_t at) {
    return is(CharacterClass::space, text::decode_utf8(text, at).code_point);
}

bool is_word(char32_t c) {
    return c == U'_' || is(CharacterClass::letter, c) || is(CharacterClass::number, c) ||
           is(CharacterClass::mark, c);
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
    if (begin > 0 && is_word(text::decode_utf8(text, previous(text, begin)).code_point))
        return false;
    return end >= text.size() || !is_word(text::decode_utf8(text, end).code_point);
}

const SpecialToken* longest_at(std::string_view text, std::size_t at,
                               const std::vector<SpecialToken>& special) {
    const SpecialToken* longest = nullptr;
    for (const auto& one : special) {
        if (!text.substr(at).starts_with(one.content)) continue;
        if (longest == nullptr || one.content.size() > longest->content.size()) longest = &one;
    }
    return longest;
}

}  // namespace

std::vector<Piece> split_at(std::string_view text, const std::vector<SpecialToken>& special) {
    std::bitset<256> first;
    for (const auto& one : special) first.set(static_cast<unsigned char>(one.content.front()));
    std::vector<Piece> pieces;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto* found = first.test(static_cast<unsigned char>(text[at]))
                                ? longest_at(text, at, special)
                                : nullptr;
        if (found == nullptr) {
            ++at;
            continue;
        }
        std::size_t begin = at;
        std::size_t end = at + found->content.size();
        at = end;
        if (found->whole_word && !stands_alone(text, begin, end)) continue;
        while (found->takes_space_before && begin > done && is_space(text, previous(text, begin)))
            begin = previous(text, begin);
        while (found->takes_space_after && end < text.size() && is_space(text, end))
            end += text::decode_utf8(text, end).length;
        if (begin > done) pieces.push_back({text.substr(done, begin - done), nullptr});
        pieces.push_back({text.substr(begin, end - begin), found});
        done = at = end;
    }
    if (done < text.size()) pieces.push_back({text.substr(done), nullptr});
    return pieces;
}

}  // namespace plimsoll::tokenizers
