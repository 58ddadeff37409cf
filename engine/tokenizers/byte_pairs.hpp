#pragma once

#include "engine/base/result.hpp"
#include "engine/tokenizers/subwords.hpp"

#include <memory>
#include <utility>

namespace plimsoll::tokenizers {

// Two tokens that become one, in order of precedence.
using Merges = std::vector<std::pair<std::string, std::string>>;

// The tokens of RoBERTa: bytes of a word, of which neighbours are joined in the order of `merges`.
// `space_before` puts a space before a text that does not begin with one. Errc::invalid_input if
// the vocabulary lacks a byte, or the input or output of a merge.
Result<std::unique_ptr<Subwords>> make_byte_pairs(const Vocabulary& vocabulary,
                                                  const Merges& merges, bool space_before);

}  // namespace plimsoll::tokenizers
