#pragma once

#include <cstdint>

// How the published tokenizers classify characters: not by one version of Unicode, see
// character_ranges.py.
namespace plimsoll::tokenizers {

enum class CharacterClass : std::uint16_t {
    dropped = 1,      // by BERT's normaliser: control and format characters, U+FFFD
    space = 2,        // White_Space
    punctuation = 4,  // a separate word to BERT
    chinese = 8,      // a separate word to BERT
    mark = 16,        // dropped when accents are stripped
    letter = 32,      // \p{L} of RoBERTa's words
    number = 64,      // \p{N}
    whole = 128,      // not decomposed, although Unicode would
    combining = 256,  // dropped by StripAccents
};

bool is(CharacterClass one, char32_t character);

// The lower-case character; U+0130 is the only character with two, of which this is the first.
char32_t lower(char32_t character);

}  // namespace plimsoll::tokenizers
