#include "engine/text/sentences.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace plimsoll::text {
namespace {

constexpr std::array<char32_t, 10> kSpaces = {U' ',  U'\t',     U'\n',     U'\r',     U'\v',
                                              U'\f', U'\u00A0', U'\u2028', U'\u2029', U'\u3000'};
constexpr std::array<char32_t, 4> kBreaks = {U'\n', U'\r', U'\u2028', U'\u2029'};
constexpr std::array<char32_t, 4> kEnds = {U'.', U'!', U'?', U'…'};
constexpr std::array<char32_t, 3> kWideEnds = {U'。', U'！', U'？'};
constexpr std::array<char32_t, 10> kClosers = {U'"', U'\'', U')', U']',  U'}',
                                               U'”', U'’',  U'»', U'」', U'』'};

template <std::size_t n>
bool is_one_of(const std::array<char32_t, n>& some, char32_t character) {
    return std::ranges::find(some, character) != some.end();
}

// What the characters so far mean for a sentence's end.
enum class Behind { text, end, wide_end };

Behind behind(Behind before, char32_t character) {
    if (is_one_of(kWideEnds, character)) return Behind::wide_end;
    if (is_one_of(kEnds, character)) return Behind::end;
    return is_one_of(kClosers, character) ? before : Behind::text;
}

struct Space {
    std::size_t end = 0;
    bool breaks_line = false;
};
Space space_at(std::string_view text, std::size_t at) {
    Space space{.end = at};
    while (space.end < text.size()) {
        const auto [character, length, valid] = decode_utf8(text, space.end);
        if (!is_one_of(kSpaces, character)) break;
        space.end += length;
        space.breaks_line = space.breaks_line || is_one_of(kBreaks, character);
    }
    return space;
}

}  // namespace

std::vector<std::string_view> sentences_of(std::string_view text) {
    std::vector<std::string_view> sentences;
    std::size_t start = 0;
    const auto end_at = [&](std::size_t at) {
        if (at > start) sentences.push_back(text.substr(start, at - start));
        start = at;
    };
    auto state = Behind::text;
    for (std::size_t at = 0; at < text.size();) {
        if (const auto space = space_at(text, at); space.end != at) {
            if (space.breaks_line || state != Behind::text) end_at(at);
            at = space.end;
            state = Behind::text;
            continue;
        }
        const auto [character, length, valid] = decode_utf8(text, at);
        const auto next = behind(state, character);
        if (state == Behind::wide_end && next == Behind::text) end_at(at);
        state = next;
        at += length;
    }
    end_at(text.size());
    return sentences;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    std::size_t start = 0;
    for (std::size_t at = space_at(text, 0).end; at < text.size();) {
        const auto space = space_at(text, at);
        if (space.end == at) {
            at += decode_utf8(text, at).length;
            continue;
        }
        words.push_back(text.substr(start, at - start));
        start = at;
        at = space.end;
    }
    if (start < text.size()) words.push_back(text.substr(start));
    return words;
}

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(space_at(text, 0).end);
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (const auto space = space_at(text, at); space.end != at) {
            at = space.end;
            continue;
        }
        at += decode_utf8(text, at).length;
        end = at;
    }
    return text.substr(0, end);
}

}  // namespace plimsoll::text
