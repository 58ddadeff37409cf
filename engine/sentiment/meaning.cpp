#include "engine/sentiment/meaning.hpp"

#include "engine/base/words.hpp"

#include <algorithm>
#include <set>

namespace plimsoll::sentiment {
namespace {

// Also in German, Spanish, Portuguese, Italian, French, Turkish, Indonesian, Chinese and Japanese.
constexpr Word<double> kSides[] = {
    {"positive", 1},    {"pos", 1},       {"bullish", 1},  {"neutral", 0},    {"neu", 0},
    {"negative", -1},   {"neg", -1},      {"bearish", -1}, {"1 star", -1},    {"2 stars", -0.5},
    {"3 stars", 0},     {"4 stars", 0.5}, {"5 stars", 1},  {"2 star", -0.5},  {"3 star", 0},
    {"4 star", 0.5},    {"5 star", 1},    {"positiv", 1},  {"negativ", -1},   {"positivo", 1},
    {"negativo", -1},   {"neutro", 0},    {"positif", 1},  {"negatif", -1},   {"neutre", 0},
    {"pozitif", 1},     {"netral", 0},    {"négatif", -1}, {"正面", 1},       {"积极", 1},
    {"负面", -1},       {"消极", -1},     {"中性", 0},     {"ポジティブ", 1}, {"ネガティブ", -1},
    {"ニュートラル", 0}};
// Of positive and negative, beside the plain words.
constexpr Word<int> kDegrees[] = {{"extremely ", 2}, {"very ", 1},      {"strongly ", 1},
                                  {"highly ", 1},    {"somewhat ", -1}, {"slightly ", -1},
                                  {"weakly ", -1},   {"mildly ", -1}};

struct Read {
    double worth = 0;
    int degree = 0;
};

std::optional<Read> read_label(std::string_view label) {
    std::string plain(label.substr(0, label.find(" (")));  // "negative (stars 1, 2 and 3)"
    plain.erase(0, plain.find_first_not_of(' '));
    plain.erase(plain.find_last_not_of(' ') + 1);
    for (char& c : plain) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (c == '_' || c == '-') c = ' ';
    }
    const auto space = plain.find(' ') + 1;  // 0: none
    const auto degree = value_of(kDegrees, plain.substr(0, space));
    const auto worth = value_of(kSides, degree ? plain.substr(space) : plain);
    if (!worth || (degree && *worth == 0)) return std::nullopt;
    return Read{*worth, degree.value_or(0)};
}

}  // namespace

std::optional<double> worth_of_label(std::string_view label) {
    const auto read = read_label(label);
    return read ? std::optional(read->worth) : std::nullopt;
}

Result<Meaning> Meaning::of(std::span<const std::string> labels) {
    Meaning meaning;
    std::vector<Read> known;
    std::set<int> degrees;
    for (const auto& label : labels) {
        const auto read = read_label(label);
        if (!read) {
            return fail(
                Errc::invalid_input,
                "The label \"" + label +
                    "\" is not a sentiment label; known: positive, neutral, negative, pos, neu, "
                    "neg, bullish, bearish, these with very, extremely, strongly, somewhat or "
                    "slightly, 1 star to 5 stars. \"id2label\" in config.json names the labels.");
        }
        known.push_back(*read);
        if (read->worth != 0) degrees.insert(read->degree);
    }
    // The strongest are worth 1, the others evenly less.
    for (const auto& [worth, degree] : known) {
        const auto place = std::distance(degrees.begin(), degrees.upper_bound(degree));
        meaning.worth_.push_back(worth * static_cast<double>(place) /
                                 static_cast<double>(std::max<std::size_t>(1, degrees.size())));
    }
    const auto has = [&](auto sign) { return std::ranges::any_of(meaning.worth_, sign); };
    if (!has([](double w) { return w > 0; }) || !has([](double w) { return w < 0; }))
        return fail(Errc::invalid_input, "The labels do not distinguish positive from negative.");
    return meaning;
}

std::size_t class_of(const Opinion& opinion) {
    if (opinion.positive >= opinion.neutral && opinion.positive >= opinion.negative) return 0;
    return opinion.neutral >= opinion.negative ? 1 : 2;
}

bool Meaning::has_neutral() const { return std::ranges::find(worth_, 0.0) != worth_.end(); }

Opinion Meaning::opinion(std::span<const float> probabilities) const {
    Opinion opinion;
    for (std::size_t i = 0; i < worth_.size(); ++i) {
        const double probability = probabilities[i];
        auto& share =
            worth_[i] > 0 ? opinion.positive : (worth_[i] < 0 ? opinion.negative : opinion.neutral);
        share += probability;
        opinion.compound += worth_[i] * probability;
    }
    return opinion;
}

}  // namespace plimsoll::sentiment
