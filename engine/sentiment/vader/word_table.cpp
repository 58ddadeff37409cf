#include "engine/sentiment/vader/word_table.hpp"

#include "engine/sentiment/vader/data.hpp"

#include <stdexcept>
#include <string>

namespace plimsoll::sentiment::vader {
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
        throw std::logic_error("The word list holds a word longer than the table allows: " +
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

const Word* WordTable::find_in_slots(const Key& key, std::uint64_t h) const {
    std::size_t slot = (h >> kFilterBits) % slots_.size();
    for (; slots_[slot] != 0; slot = (slot + 1) % slots_.size()) {
        const Entry& entry = entries_[slots_[slot] - 1u];
        if (entry.key == key) return &entry.word;
    }
    return nullptr;
}

}  // namespace plimsoll::sentiment::vader
