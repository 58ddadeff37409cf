#include "engine/tokenizers/characters.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

namespace plimsoll::tokenizers {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Every `step`th character from `first` to `last`.
struct LowerRange {
    char32_t first;
    char32_t last;
    std::uint32_t step;
    std::int32_t distance;
};

#include "engine/tokenizers/character_ranges.inc"

constexpr std::size_t kCharacters = 0x110000;

// Most of it is never touched.
class Classes {
  public:
    Classes() : of_(kCharacters, 0) {
        mark(CharacterClass::dropped, kDropped);
        mark(CharacterClass::space, kSpace);
        mark(CharacterClass::punctuation, kPunctuation);
        mark(CharacterClass::chinese, kChinese);
        mark(CharacterClass::mark, kMark);
        mark(CharacterClass::letter, kLetter);
        mark(CharacterClass::number, kNumber);
        mark(CharacterClass::whole, kWhole);
        mark(CharacterClass::combining, kCombining);
    }
    std::uint16_t at(char32_t character) const {
        return character < kCharacters ? of_[character] : 0;
    }

  private:
    void mark(CharacterClass one, std::span<const Range> ranges) {
        for (const auto& [first, last] : ranges)
            for (char32_t c = first; c <= last; ++c) of_[c] |= static_cast<std::uint16_t>(one);
    }
    std::vector<std::uint16_t> of_;
};

}  // namespace

bool is(CharacterClass one, char32_t character) {
    static const Classes classes;
    return (classes.at(character) & static_cast<std::uint16_t>(one)) != 0;
}

char32_t lower(char32_t character) {
    const auto* const range =
        std::ranges::lower_bound(kLower, character, std::less{}, &LowerRange::last);
    if (range == std::end(kLower) || character < range->first ||
        (character - range->first) % range->step != 0) {
        return character == U'\u0130' ? U'i' : character;
    }
    return static_cast<char32_t>(static_cast<std::int32_t>(character) + range->distance);
}

}  // namespace plimsoll::tokenizers
