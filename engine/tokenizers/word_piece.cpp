#include "engine/tokenizers/word_piece.hpp"

#include <algorithm>

namespace plimsoll::tokenizers {
namespace {

bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

class WordPiece final : public Subwords {
  public:
    WordPiece(const Vocabulary& vocabulary, const WordPieceRules& rules, std::uint32_t unknown)
        : words_(rules.words), unknown_(unknown), longest_word_(rules.longest_word) {
        for (const auto& [token, id] : vocabulary) {
            // A token may occur both at the beginning of a word and, after its mark, inside one.
            add(first_, token, id);
            if (token.size() > rules.continuation.size() && token.starts_with(rules.continuation)) {
                add(later_, token.substr(rules.continuation.size()), id);
            }
        }
    }

    void append(std::string_view text, std::vector<std::uint32_t>& ids) override {
        words_.each(text, [&](std::string_view word) { append_word(word, ids); });
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
