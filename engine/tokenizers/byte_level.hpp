#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

// Bytes and words of GPT-2 and RoBERTa.
namespace plimsoll::tokenizers {

// The end of the word that begins at `at` (< text.size()): the regular expression
// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t end_of_word(std::string_view text, std::size_t at);

// A token of the vocabulary writes every byte as a printable character; this returns the bytes.
// Nothing if a character stands for none.
std::optional<std::string> bytes_of_token(std::string_view token);

}  // namespace plimsoll::tokenizers
