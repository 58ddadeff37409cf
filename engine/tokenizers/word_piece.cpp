#include "engine/tokenizers/word_piece.hpp"

#include "engine/text/utf8.hpp"
#include "engine/tokenizers/characters.hpp"

#include <algorithm>
#include <array>

#include <utf8proc.h>

namespace plimsoll::tokenizers {

namespace {

constexpr bool is_ascii_punctuation(char32_t c) {
    return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
           (c >= U'{' && c <= U'~');
}

template <class Take>
void each_character(std::string_view text, const Take& take) {
    for (std::size_t at = 0; at < text.size();) {
        const auto decoded = text::decode_utf8(text, at);
        at += decoded.length;
        take(decoded.code_point);
    }
}

}  // namespace

void BertWords::each(std::string_view text, const std::function<void(std::string_view)>& take) {
    take_ = &take;
    word_.clear();
    each_character(text, [&](char32_t c) { add(c); });
    finish_word();
}

std::string BertWords::normalized(std::string_view text) {
    take_ = nullptr;
    word_.clear();
    each_character(text, [&](char32_t c) { add(c); });
    return std::move(word_);
}

void BertWords::each_of_normalized(std::string_view text,
                                   const std::function<void(std::string_view)>& take) {
    take_ = &take;
    word_.clear();
    each_character(text, [&](char32_t c) { add_normalized(c); });
    finish_word();
}

void BertWords::add(char32_t character) {
    constexpr char32_t kAscii = 0x80;
    if (character < kAscii && character > U' ' && character != 0x7f)
        return add_lower(character);  // neither accents nor Chinese
    if (rules_.clean && is(CharacterClass::dropped, character)) return;
    if (is(CharacterClass::space, character))
        return add_normalized(rules_.clean ? U' ' : character);
    if (rules_.split_chinese && is(CharacterClass::chinese, character)) {
        add_normalized(U' ');
        add_stripped(character);
        return add_normalized(U' ');
    }
    add_stripped(character);
}

// Marks are dropped, so their order within a character does not matter.
void BertWords::add_stripped(char32_t character) {
    if (!rules_.strip_accents && !rules_.strip_combining) return add_lower(character);
    if (is(CharacterClass::whole, character)) return add_lower(character);
    std::array<utf8proc_int32_t, 32> parts{};
    int boundary = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character), parts.data(),
                                parts.size(), UTF8PROC_DECOMPOSE, &boundary);
    if (count < 1 || count > static_cast<utf8proc_ssize_t>(parts.size()))
        return add_lower(character);
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
        const auto part = static_cast<char32_t>(parts[static_cast<std::size_t>(i)]);
        if (rules_.strip_accents && is(CharacterClass::mark, part)) continue;
        if (rules_.strip_combining && is(CharacterClass::combining, part)) continue;
        add_lower(part);
    }
}

void BertWords::add_lower(char32_t character) {
    add_normalized(rules_.lower_case ? lower(character) : character);
    // The only character with two in lower case.
    if (rules_.lower_case && character == U'\u0130') add_normalized(U'\u0307');
}

void BertWords::add_normalized(char32_t character) {
    if (take_ == nullptr) return text::append_utf8(word_, character);
    if (is_ascii_punctuation(character) || is(CharacterClass::punctuation, character)) {
        finish_word();
        text::append_utf8(word_, character);
        return finish_word();
    }
    if (is(CharacterClass::space, character)) return finish_word();
    text::append_utf8(word_, character);
}

void BertWords::finish_word() {
    if (!word_.empty()) (*take_)(word_);
    word_.clear();
}

namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

class WordPiece final : public Subwords {
  public:
    WordPiece(const Vocabulary& vocabulary, const WordPieceRules& rules, std::uint32_t unknown)
        : words_(rules.words), unknown_(unknown), longest_word_(rules.longest_word) {
        for (const auto& [token, id] : vocabulary) {
            // A token may occur both at the beginning of a word and, after its mark, inside one.
            add(first_, token, id);
            if (token.size() > rules.continuation.size() && token.starts_with(rules.continuation))
                add(later_, token.substr(rules.continuation.size()), id);
        }
    }

    void append(std::string_view text, std::vector<std::uint32_t>& ids) override {
        words_.each(text, [&](std::string_view word) { append_word(word, ids); });
    }
    std::string normalized(std::string_view text) override { return words_.normalized(text); }
    void append_normalized(std::string_view text, std::vector<std::uint32_t>& ids) override {
        words_.each_of_normalized(text, [&](std::string_view word) { append_word(word, ids); });
    }

  private:
    struct Table {
        Vocabulary tokens;
        std::size_t longest = 0;
    };
    static void add(Table& table, std::string token, std::uint32_t id) {
        table.longest = std::max(table.longest, token.size());
        table.tokens.insert_or_assign(std::move(token), id);
    }

    void append_word(std::string_view word, std::vector<std::uint32_t>& ids) const {
        const auto characters = word.size() - static_cast<std::size_t>(
                                                  std::ranges::count_if(word, continues_character));
        const auto before = ids.size();
        if (characters > longest_word_ || !append_pieces(word, ids)) {
            ids.resize(before);
            ids.push_back(unknown_);
        }
    }

    bool append_pieces(std::string_view word, std::vector<std::uint32_t>& ids) const {
        for (std::size_t start = 0; start < word.size();) {
            const Table& table = start == 0 ? first_ : later_;
            std::size_t length = std::min(word.size() - start, table.longest);
            auto found = table.tokens.end();
            for (; length > 0; --length) {
                if (start + length < word.size() && continues_character(word[start + length]))
                    continue;
                found = table.tokens.find(word.substr(start, length));
                if (found != table.tokens.end()) break;
            }
            if (length == 0) return false;
            ids.push_back(found->second);
            start += length;
        }
        return true;
    }

    BertWords words_;
    Table first_;
    Table later_;
    std::uint32_t unknown_;
    std::size_t longest_word_;
};

}  // namespace

Result<std::unique_ptr<Subwords>> make_word_piece(const Vocabulary& vocabulary,
                                                  const WordPieceRules& rules) {
    const auto unknown = vocabulary.find(rules.unknown);
    if (unknown == vocabulary.end()) {
        return fail(Errc::invalid_input,
                    "The vocabulary lacks the unknown token \"" + rules.unknown + "\".");
    }
    return std::make_unique<WordPiece>(vocabulary, rules, unknown->second);
}

}  // namespace plimsoll::tokenizers
