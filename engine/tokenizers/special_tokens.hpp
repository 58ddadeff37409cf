#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::tokenizers {

// A token that is found in the text before anything else is done to it, such as "[SEP]".
struct SpecialToken {
    std::string content;
    std::uint32_t id = 0;
    bool takes_space_before = false;
    bool takes_space_after = false;
    bool whole_word = false;  // only where no letter, digit or underscore stands beside it
};

// A part of a text: what stands between special tokens, or one of these.
struct Piece {
    std::string_view text;
    const SpecialToken* special = nullptr;
};

// The pieces of a text, in order, none of them empty. Where several begin at one place the longest
// counts.
std::vector<Piece> split_at(std::string_view text, const std::vector<SpecialToken>& special);

}  // namespace plimsoll::tokenizers
