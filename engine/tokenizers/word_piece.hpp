#pragma once

#include "engine/base/result.hpp"
#include "engine/tokenizers/subwords.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::tokenizers {

// How BERT prepares a text.
struct BertRules {
    bool lower_case = true;
    bool strip_accents = true;
    bool strip_combining = false;  // every mark, Unicode's newer ones too: by StripAccents
    bool split_chinese = true;
    bool clean = true;  // drop control characters, every space is U+0020
};

// Cuts a text into the words that WordPiece divides further: normalized, at spaces, with every
// punctuation mark separate. The buffers are kept between texts.
class BertWords {
  public:
    explicit BertWords(BertRules rules) : rules_(rules) {}

    // Calls `take` with every word in order; it is valid during the call.
    void each(std::string_view text, const std::function<void(std::string_view)>& take);
    // The same in two steps.
    std::string normalized(std::string_view text);
    void each_of_normalized(std::string_view text,
                            const std::function<void(std::string_view)>& take);

  private:
    void add(char32_t character);
    void add_stripped(char32_t character);
    void add_lower(char32_t character);
    void add_normalized(char32_t character);
    void finish_word();

    BertRules rules_;
    const std::function<void(std::string_view)>* take_ =
        nullptr;  // none: `word_` is the whole text
    std::string word_;
};

struct WordPieceRules {
    BertRules words;
    std::string unknown = "[UNK]";
    std::string continuation = "##";  // prefix of a token that does not begin a word
    std::size_t longest_word = 100;   // in characters; longer ones are unknown
};

// The tokens of BERT and DistilBERT: of every word the longest prefix in the vocabulary, then the
// longest of the rest. Errc::invalid_input if the vocabulary lacks the unknown token.
Result<std::unique_ptr<Subwords>> make_word_piece(const Vocabulary& vocabulary,
                                                  const WordPieceRules& rules);

}  // namespace plimsoll::tokenizers
