#pragma once

#include "engine/sentiment/vader/byte_masks.hpp"
#include "engine/sentiment/vader/word_table.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::sentiment::vader {

enum class LetterCase { none, upper, lower_or_title };

// Unicode's derived properties Uppercase and Lowercase (general category plus Other_Uppercase and
// Other_Lowercase, so Roman numerals and circled letters count), as used by Python's isupper.
LetterCase letter_case(char32_t code_point);

struct Token {
    [[no_unique_address]] Word word;
    bool upper = false;  // has upper-case letters and no others
};

// A text as the rules see it. `split` reuses the memory of the text before.
class Tokens {
  public:
    // `text` must already have emoji and other whitespace replaced: see expand().
    void split(std::string_view text);

    std::span<const Token> all() const { return {tokens_.data(), count_}; }
    // Indices of the tokens in the lexicon.
    const std::vector<std::uint32_t>& hits() const { return hits_; }
    bool mixed_case() const { return upper_ != 0 && upper_ < count_; }
    // The first "but".
    std::optional<std::uint32_t> turn() const { return turn_; }
    std::size_t exclamations() const { return exclamations_; }
    std::size_t questions() const { return questions_; }

  private:
    struct Letters {  // bit i of element b: byte 64 b + i
        std::uint64_t upper, lower, high;
    };

    void classify(std::string_view text);
    void add(std::size_t begin, std::size_t end);
    void add_beyond_ascii(std::size_t begin, std::size_t end);
    void push(const Word* word, std::string_view lowered, bool upper);
    Letters letters_between(std::size_t begin, std::size_t end) const;

    std::vector<std::uint64_t> spaces_;
    std::vector<Letters> letters_;
    std::string lowered_;  // ASCII letters only; padded to whole blocks and a longest word
    std::string folded_;   // one token
    const WordTable& table_ = WordTable::instance();
    std::vector<Token> tokens_;  // sized for the longest text so far; count_ are set
    std::size_t count_ = 0;
    std::vector<std::uint32_t> hits_;
    std::optional<std::uint32_t> turn_;
    std::size_t upper_ = 0;
    std::size_t exclamations_ = 0;
    std::size_t questions_ = 0;
    bool apostrophes_ = false;
};

}  // namespace plimsoll::sentiment::vader
