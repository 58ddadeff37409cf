#include "engine/sentiment/vader/word_table.hpp"

#include "engine/sentiment/vader/data.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace plimsoll::sentiment::vader {
namespace {

// kMasks[n] keeps the first n of 24 bytes, as three little-endian integers.
using Mask = std::array<std::uint64_t, 3>;
constexpr auto kMasks = [] {
    std::array<Mask, WordTable::kLongestWord + 1> masks{};
    for (std::size_t length = 0; length < masks.size(); ++length) {
        for (std::size_t byte = 0; byte < length; ++byte) {
            masks[length][byte / 8] |= std::uint64_t{0xFF} << (8 * (byte % 8));
        }
    }
    return masks;
}();

}  // namespace

const WordTable& WordTable::instance() {
    static const WordTable table;
    return table;
}

WordTable::WordTable() {
    for (const LexiconWord& entry : lexicon_words()) {
        Word& word = insert(entry.word);
        word.valence = entry.valence;
        word.in_lexicon = true;
    }
    for (const std::string_view entry : intensifiers()) insert(entry).boost = 1;
    for (const std::string_view entry : dampeners()) insert(entry).boost = -1;
    for (const std::string_view entry : negations()) insert(entry).negates = true;
    for (const RoleWord& entry : role_words()) insert(entry.word).role = entry.role;
}

Word& WordTable::insert(std::string_view text) {
    if (text.size() > kLongestWord) {
        throw std::logic_error("The word list holds a word longer than the table takes: " +
                               std::string(text));
    }
    char padded[kLongestWord] = {};
    text.copy(padded, text.size());
    const Key key = make_key(padded, text.size());
    const std::uint64_t h = hash(key);
    std::size_t slot = (h >> kFilterBits) % slots_.size();
    for (; slots_[slot] != 0; slot = (slot + 1) % slots_.size()) {
        if (entries_[slots_[slot] - 1u].key == key) return entries_[slots_[slot] - 1u].word;
    }
    entries_.push_back({key, {}});
    slots_[slot] = static_cast<std::uint16_t>(entries_.size());
    const std::size_t bit = h % (1u << kFilterBits);
    filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    entries_.back().word.negates = text.find("n't") != std::string_view::npos;
    return entries_.back().word;
}

const Word* WordTable::find(const char* lowered, std::size_t length) const {
    if (length > kLongestWord) return nullptr;
    const Key key = make_key(lowered, length);
    const std::uint64_t h = hash(key);
    const std::size_t bit = h % (1u << kFilterBits);
    if (((filter_[bit / 64] >> (bit % 64)) & 1) == 0) return nullptr;
    std::size_t slot = (h >> kFilterBits) % slots_.size();
    for (; slots_[slot] != 0; slot = (slot + 1) % slots_.size()) {
        const Entry& entry = entries_[slots_[slot] - 1u];
        if (entry.key == key) return &entry.word;
    }
    return nullptr;
}

WordTable::Key WordTable::make_key(const char* lowered, std::size_t length) {
    Key key;
    std::memcpy(key.bytes.data(), lowered, kLongestWord);
    for (std::size_t i = 0; i < 3; ++i) key.bytes[i] &= kMasks[length][i];
    key.length = length;
    return key;
}

std::uint64_t WordTable::hash(const Key& key) {
    // Odd constants: splitmix64's increment and multipliers.
    std::uint64_t h = (key.bytes[0] * 0x9E3779B97F4A7C15u) ^ (key.bytes[1] * 0xBF58476D1CE4E5B9u) ^
                      (key.bytes[2] * 0x94D049BB133111EBu);
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15u;
    return h >> 24;
}

}  // namespace plimsoll::sentiment::vader
