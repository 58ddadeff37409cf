#pragma once

#include "engine/base/result.hpp"
#include "engine/tokenizers/bert_words.hpp"
#include "engine/tokenizers/subwords.hpp"

#include <memory>

namespace plimsoll::tokenizers {

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
