#include "engine/tokenizers/byte_level.hpp"

#include "engine/text/utf8.hpp"
#include "engine/tokenizers/characters.hpp"

namespace plimsoll::tokenizers {
namespace {

enum class Sort { letter, number, space, other };

Sort sort_of(char32_t c) {
    if (is(CharacterClass::letter, c)) return Sort::letter;
    if (is(CharacterClass::number, c)) return Sort::number;
    return is(CharacterClass::space, c) ? Sort::space : Sort::other;
}

struct Character {
    Sort sort;
    std::size_t end;
};

Character character_at(std::string_view text, std::size_t at) {
    const auto decoded = text::decode_utf8(text, at);
    return {sort_of(decoded.code_point), at + decoded.length};
}

std::size_t end_of_contraction(std::string_view text, std::size_t at) {
    using namespace std::literals;
    for (const auto one : {"'s"sv, "'t"sv, "'re"sv, "'ve"sv, "'m"sv, "'ll"sv, "'d"sv}) {
        if (text.substr(at).starts_with(one)) return at + one.size();
    }
    return at;
}

std::size_t end_of_run(std::string_view text, std::size_t at, Sort sort) {
    while (at < text.size()) {
        const auto next = character_at(text, at);
        if (next.sort != sort) break;
        at = next.end;
    }
    return at;
}

// Spaces, but not the last one where something follows: that one belongs to the next word.
std::size_t end_of_spaces(std::string_view text, std::size_t at) {
    std::size_t before_last = at;
    std::size_t end = at;
    while (end < text.size()) {
        const auto next = character_at(text, end);
        if (next.sort != Sort::space) break;
        before_last = end;
        end = next.end;
    }
    return end == text.size() || before_last == at ? end : before_last;
}

// The character that stands for a byte: itself where it is printable, else the next unused one
// from 256 on.
std::array<char32_t, 256> characters_of_bytes() {
    std::array<char32_t, 256> characters{};
    char32_t next = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
        const bool printable =
            (byte >= U'!' && byte <= U'~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
        characters[byte] = printable ? byte : next++;
    }
    return characters;
}

}  // namespace

std::size_t end_of_word(std::string_view text, std::size_t at) {
    if (const auto end = end_of_contraction(text, at); end != at) return end;
    const auto first = character_at(text, at);
    if (first.sort != Sort::space) return end_of_run(text, first.end, first.sort);
    if (text[at] == ' ' && first.end < text.size()) {
        const auto second = character_at(text, first.end);
        if (second.sort != Sort::space) return end_of_run(text, second.end, second.sort);
    }
    return end_of_spaces(text, at);
}

std::optional<std::string> bytes_of_token(std::string_view token) {
    static const auto bytes = [] {
        std::array<int, 324> table{};
        table.fill(-1);
        const auto characters = characters_of_bytes();
        for (std::size_t byte = 0; byte < 256; ++byte) {
            table[characters[byte]] = static_cast<int>(byte);
        }
        return table;
    }();
    std::string found;
    for (std::size_t at = 0; at < token.size();) {
        const auto decoded = text::decode_utf8(token, at);
        if (decoded.code_point >= bytes.size() || bytes[decoded.code_point] < 0)
            return std::nullopt;
        found.push_back(static_cast<char>(bytes[decoded.code_point]));
        at += decoded.length;
    }
    return found;
}

}  // namespace plimsoll::tokenizers
