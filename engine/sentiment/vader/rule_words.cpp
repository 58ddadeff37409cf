#include "engine/sentiment/vader/rule_words.hpp"

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

std::span<const RoleWord> role_words() {
    return kRoles;
}
std::span<const std::string_view> intensifiers() {
    return kIntensifiers;
}
std::span<const std::string_view> dampeners() {
    return kDampeners;
}
std::span<const std::string_view> negations() {
    return kNegations;
}

}  // namespace plimsoll::sentiment::vader
