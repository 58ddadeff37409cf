#pragma once

#include <span>
#include <string_view>

// The word lists behind the scores, generated at build time from the vaderSentiment package by
// generate.py.
namespace plimsoll::sentiment::vader {

struct LexiconWord {
    std::string_view word;  // lower-case ASCII without blanks
    double valence;         // mean rating, -4 (most negative) to 4
};

struct Emoji {
    char32_t code_point;
    std::string_view description;  // UTF-8; only U+0020 separates its words
};

std::span<const LexiconWord> lexicon_words();
std::span<const Emoji> emoji();  // ordered by code point

}  // namespace plimsoll::sentiment::vader
