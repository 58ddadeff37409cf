#pragma once

#include "engine/tokenizers/tokenizer.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace plimsoll::transformer {

// A text as consecutive windows of at most `max` tokens, each to be classified as a text of its
// own: as many whole sentences as fit; if a sentence does not fit, as many words; if a word does
// not fit, as many characters. One empty window if there is nothing but white space.
std::vector<std::string_view> windows_of(std::string_view text, std::size_t max,
                                         tokenizers::Tokenizer& tokenizer);

}  // namespace plimsoll::transformer
