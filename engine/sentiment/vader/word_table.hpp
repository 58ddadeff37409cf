#pragma once

#include "engine/sentiment/vader/rule_words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plimsoll::sentiment::vader {

// What is known of a word. The default is a word that no list has.
struct Word {
    double valence = 0;  // meaningful when in_lexicon
    bool in_lexicon = false;
    bool negates = false;
    std::int8_t boost = 0;  // +1 intensifier, -1 dampener
    Role role = Role::other;
};

// All lists in one open-addressing table: one probe a token answers every question of the rules.
class WordTable {
  public:
    static constexpr std::size_t kLongestWord = 24;  // bytes; the longest listed word has 19

    static const WordTable& instance();

    // `lowered` must be readable for kLongestWord bytes whatever the length of the word.
    const Word* find(const char* lowered, std::size_t length) const;

  private:
    // A word as three integers, zero-padded. The length tells "ok" from "ok\0".
    struct Key {
        std::array<std::uint64_t, 3> bytes{};
        std::size_t length = 0;
        bool operator==(const Key&) const = default;
    };
    struct Entry {
        Key key;
        Word word;
    };

    static constexpr unsigned kFilterBits = 16;
    static constexpr unsigned kSlotBits = 15;

    WordTable();
    Word& insert(std::string_view word);
    static Key make_key(const char* lowered, std::size_t length);
    static std::uint64_t hash(const Key& key);

    // Nine of ten absent words end at the filter, which fits the first-level cache.
    std::array<std::uint64_t, (1u << kFilterBits) / 64> filter_{};
    std::array<std::uint16_t, 1u << kSlotBits> slots_{};  // entry number + 1; 0: empty
    std::vector<Entry> entries_;
};

}  // namespace plimsoll::sentiment::vader
