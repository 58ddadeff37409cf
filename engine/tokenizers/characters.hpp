#pragma once

#include <cstdint>

// How the published tokenizers class characters: not by one version of Unicode, see
// character_ranges.py.
namespace plimsoll::tokenizers {

enum class CharacterClass : std::uint8_t {
    dropped = 1,      // by BERT's normaliser: control and format characters, U+FFFD
    space = 2,        // White_Space
    punctuation = 4,  // a word of its own to BERT
    chinese = 8,      // a word of its own to BERT
    mark = 16,        // dropped where accents are stripped
    letter = 32,      // \p{L} of RoBERTa's words
    number = 64,      // \p{N}
    whole = 128,      // not decomposed, though Unicode would
};

bool is(CharacterClass one, char32_t character);

// The lower-case character; U+0130 is the one character that has two, of which this is the first.
char32_t lower(char32_t character);

}  // namespace plimsoll::tokenizers
