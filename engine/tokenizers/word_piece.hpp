#pragma once

#include "engine/base/result.hpp"
#include "engine/tokenizers/bert_words.hpp"
#include "engine/tokenizers/subwords.hpp"

#include <memory>

namespace plimsoll::tokenizers {

struct WordPieceRules {
    BertRules words;
    std::string unknown = "[UNK]";
    std::string continuation = "##";  // before what does not begin a word
    std::size_t longest_word = 100;   // in characters; a longer one is unknown
};

// The tokens of BERT and DistilBERT: of every word the longest beginning that the vocabulary has,
// then the longest of what is left. Errc::invalid_input when the vocabulary lacks the unknown
// token.
Result<std::unique_ptr<Subwords>> make_word_piece(const Vocabulary& vocabulary,
                                                  const WordPieceRules& rules);

}  // namespace plimsoll::tokenizers
