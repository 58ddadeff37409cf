#pragma once

#include "engine/base/result.hpp"
#include "engine/tokenizers/subwords.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Bytes and words of GPT-2 and RoBERTa.
namespace plimsoll::tokenizers {

// The end of the word that begins at `at` (< text.size()): the regular expression
// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t end_of_word(std::string_view text, std::size_t at);

// A token of the vocabulary writes every byte as a printable character; this returns the bytes.
// Nothing if a character stands for none.
std::optional<std::string> bytes_of_token(std::string_view token);

// Two tokens that become one, in order of precedence.
using Merges = std::vector<std::pair<std::string, std::string>>;

// The tokens of RoBERTa: bytes of a word, of which neighbours are joined in the order of `merges`.
// `space_before` puts a space before a text that does not begin with one. Errc::invalid_input if
// the vocabulary lacks a byte, or the input or output of a merge.
Result<std::unique_ptr<Subwords>> make_byte_pairs(const Vocabulary& vocabulary,
                                                  const Merges& merges, bool space_before);

}  // namespace plimsoll::tokenizers
