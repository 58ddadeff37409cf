#include "engine/sentiment/vader/word_table.hpp"

#include "engine/sentiment/vader/data.hpp"

#include <stdexcept>
#include <string>

namespace plimsoll::sentiment::vader {

namespace {

constexpr RoleWord kRoles[] = {
    {"ass", Role::ass},         {"at", Role::at},       {"bad", Role::bad},
    {"beating", Role::beating}, {"bomb", Role::bomb},   {"broken", Role::broken},
    {"bus", Role::bus},         {"but", Role::but},     {"death", Role::death},
    {"die", Role::die},         {"doubt", Role::doubt}, {"enough", Role::enough},
    {"for", Role::for_},        {"heart", Role::heart}, {"just", Role::just},
    {"kind", Role::kind},       {"kiss", Role::kiss},   {"least", Role::least},
    {"never", Role::never},     {"no", Role::no},       {"nor", Role::nor},
    {"of", Role::of},           {"or", Role::or_},      {"right", Role::right},
    {"shit", Role::shit},       {"so", Role::so},       {"sort", Role::sort},
    {"stop", Role::stop},       {"the", Role::the},     {"this", Role::this_},
    {"to", Role::to},           {"very", Role::very},   {"without", Role::without},
    {"yeah", Role::yeah},
};

constexpr std::string_view kIntensifiers[] = {
    "absolutely",    "amazingly",    "awfully",       "completely", "considerable", "considerably",
    "decidedly",     "deeply",       "effing",        "enormous",   "enormously",   "entirely",
    "especially",    "exceptional",  "exceptionally", "extreme",    "extremely",    "fabulously",
    "flippin",       "flipping",     "frackin",       "fracking",   "frickin",      "fricking",
    "friggin",       "frigging",     "fuckin",        "fucking",    "fuggin",       "fugging",
    "fully",         "greatly",      "hella",         "highly",     "hugely",       "incredible",
    "incredibly",    "intensely",    "major",         "majorly",    "more",         "most",
    "particularly",  "purely",       "quite",         "really",     "remarkably",   "so",
    "substantially", "thoroughly",   "total",         "totally",    "tremendous",   "tremendously",
    "uber",          "unbelievably", "unusually",     "utter",      "utterly",      "very",
};

// The dampeners of two words (just enough, kind of, sort of) act in the idiom rule alone.
constexpr std::string_view kDampeners[] = {
    "almost",   "barely",   "hardly",     "kind-of",    "kinda",        "kindof", "less",
    "little",   "marginal", "marginally", "occasional", "occasionally", "partly", "scarce",
    "scarcely", "slight",   "slightly",   "somewhat",   "sort-of",      "sorta",  "sortof",
};

constexpr std::string_view kNegations[] = {
    "ain't",    "aint",     "aren't",   "arent",   "can't",   "cannot", "cant",      "couldn't",
    "couldnt",  "daren't",  "darent",   "despite", "didn't",  "didnt",  "doesn't",   "doesnt",
    "don't",    "dont",     "hadn't",   "hadnt",   "hasn't",  "hasnt",  "haven't",   "havent",
    "isn't",    "isnt",     "mightn't", "mightnt", "mustn't", "mustnt", "needn't",   "neednt",
    "neither",  "never",    "none",     "nope",    "nor",     "not",    "nothing",   "nowhere",
    "oughtn't", "oughtnt",  "rarely",   "seldom",  "shan't",  "shant",  "shouldn't", "shouldnt",
    "uh-uh",    "uhuh",     "wasn't",   "wasnt",   "weren't", "werent", "without",   "won't",
    "wont",     "wouldn't", "wouldnt",
};

}  // namespace

std::span<const RoleWord> role_words() { return kRoles; }
std::span<const std::string_view> intensifiers() { return kIntensifiers; }
std::span<const std::string_view> dampeners() { return kDampeners; }
std::span<const std::string_view> negations() { return kNegations; }

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
    for (; slots_[slot] != 0; slot = (slot + 1) % slots_.size())
        if (entries_[slots_[slot] - 1u].key == key) return entries_[slots_[slot] - 1u].word;
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
