#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

// The words used by the rules, as published with VADER (C.J. Hutto, github.com/cjhutto/
// vaderSentiment): intensifiers, dampeners, negations, and the parts of idioms.
namespace plimsoll::sentiment::vader {

// The role of a word in the rules. `other` stands for every word that no rule names.
enum class Role : std::uint8_t {
    other,
    ass,
    at,
    bad,
    beating,
    bomb,
    broken,
    bus,
    but,
    death,
    die,
    doubt,
    enough,
    for_,
    heart,
    just,
    kind,
    kiss,
    least,
    never,
    no,
    nor,
    of,
    or_,
    right,
    shit,
    so,
    sort,
    stop,
    the,
    this_,
    to,
    very,
    without,
    yeah,
};

struct RoleWord {
    std::string_view word;
    Role role;
};

std::span<const RoleWord> role_words();
std::span<const std::string_view> intensifiers();  // "very": +0.293 towards the word's own sign
std::span<const std::string_view> dampeners();     // "slightly": -0.293
std::span<const std::string_view> negations();     // besides every word that contains "n't"

// Properties of a word. The default is a word in no list.
struct Word {
    double valence = 0;  // meaningful when in_lexicon
    bool in_lexicon = false;
    bool negates = false;
    std::int8_t boost = 0;  // +1 intensifier, -1 dampener
    Role role = Role::other;
};

// All lists in one open-addressing table: one probe per token answers every rule.
class WordTable {
  public:
    static constexpr std::size_t kLongestWord = 24;  // bytes; the longest listed word has 19

    static const WordTable& instance();

    // `lowered` must be readable for kLongestWord bytes whatever the length of the word.
    const Word* find(const char* lowered, std::size_t length) const {
        if (length > kLongestWord) return nullptr;
        const Key key = make_key(lowered, length);
        const std::uint64_t h = hash(key);
        const std::size_t bit = h % (1u << kFilterBits);
        if (((filter_[bit / 64] >> (bit % 64)) & 1) == 0) return nullptr;
        return find_in_slots(key, h);
    }

  private:
    // A word as three little-endian integers, zero-padded. The length distinguishes "ok" from
    // "ok\0".
    struct Key {
        std::uint64_t a = 0, b = 0, c = 0;
        std::uint64_t length = 0;
        bool operator==(const Key& other) const {
            return ((a ^ other.a) | (b ^ other.b) | (c ^ other.c) | (length ^ other.length)) == 0;
        }
    };
    struct Entry {
        Key key;
        Word word;
    };

    static constexpr unsigned kFilterBits = 16;
    static constexpr unsigned kSlotBits = 15;

    WordTable();
    Word& insert(std::string_view word);
    const Word* find_in_slots(const Key& key, std::uint64_t h) const;

    static std::uint64_t load(const char* bytes, std::size_t count) {
        std::uint64_t value;
        std::memcpy(&value, bytes, sizeof value);
        return count >= 8 ? value : value & ((std::uint64_t{1} << (8 * count)) - 1);
    }

    static Key make_key(const char* lowered, std::size_t length) {
        // Most words are this short.
        if (length <= 8) return {load(lowered, length), 0, 0, length};
        if (length <= 16) return {load(lowered, 8), load(lowered + 8, length - 8), 0, length};
        return {load(lowered, 8), load(lowered + 8, 8), load(lowered + 16, length - 16), length};
    }

    static std::uint64_t hash(const Key& key) {
        // Odd constants: splitmix64's increment and multipliers.
        std::uint64_t h = (key.a * 0x9E3779B97F4A7C15u) ^ (key.b * 0xBF58476D1CE4E5B9u) ^
                          (key.c * 0x94D049BB133111EBu);
        h ^= h >> 32;
        h *= 0x9E3779B97F4A7C15u;
        return h >> 24;
    }

    // The filter, which fits the first-level cache, rejects nine of ten absent words.
    std::array<std::uint64_t, (1u << kFilterBits) / 64> filter_{};
    std::array<std::uint16_t, 1u << kSlotBits> slots_{};  // entry number + 1; 0: empty
    std::vector<Entry> entries_;
};

}  // namespace plimsoll::sentiment::vader
