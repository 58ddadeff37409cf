#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::tokenizers {

// A token that is found in the text before any other processing, such as "[SEP]", or, if
// `normalized`, in what the normalizer makes of the text.
struct SpecialToken {
    std::string content;
    std::uint32_t id = 0;
    bool takes_space_before = false;
    bool takes_space_after = false;
    bool whole_word = false;  // only if no letter, digit or underscore is next to it
    bool normalized = false;
};

// A part of a text: text between special tokens, or one of these.
struct Piece {
    std::string_view text;
    const SpecialToken* special = nullptr;
};

// The pieces of a text, in order, none of them empty. If several begin at one place, the longest
// counts.
std::vector<Piece> split_at(std::string_view text, const std::vector<SpecialToken>& special);

}  // namespace plimsoll::tokenizers
