#pragma once

#include "engine/base/result.hpp"
#include "engine/tokenizers/subwords.hpp"

#include <memory>
#include <utility>

namespace plimsoll::tokenizers {

// Two tokens that become one, most wanted first.
using Merges = std::vector<std::pair<std::string, std::string>>;

// The tokens of RoBERTa: bytes of a word, of which neighbours are joined in the order of `merges`.
// `space_before` puts a space before a text that does not begin with one. Errc::invalid_input when
// the vocabulary lacks a byte, or what a merge joins or makes.
Result<std::unique_ptr<Subwords>> make_byte_pairs(const Vocabulary& vocabulary,
                                                  const Merges& merges, bool space_before);

}  // namespace plimsoll::tokenizers
