#include "engine/sentiment/meaning.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::sentiment {
namespace {

struct Known {
    std::string_view label;
    double worth;
};
constexpr std::array kKnown = {
    Known{"positive", 1},  Known{"bullish", 1}, Known{"neutral", 0},    Known{"negative", -1},
    Known{"bearish", -1},  Known{"1 star", -1}, Known{"2 stars", -0.5}, Known{"3 stars", 0},
    Known{"4 stars", 0.5}, Known{"5 stars", 1},
};

}  // namespace

std::optional<double> worth_of_label(std::string_view label) {
    std::string lower(label);
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto* const known = std::ranges::find(kKnown, lower, &Known::label);
    return known == kKnown.end() ? std::nullopt : std::optional(known->worth);
}

Result<Meaning> Meaning::of(std::span<const std::string> labels) {
    Meaning meaning;
    for (const auto& label : labels) {
        const auto worth = worth_of_label(label);
        if (!worth) {
            return fail(
                Errc::invalid_input,
                "The label \"" + label +
                    "\" is not a sentiment label; known: positive, neutral, negative, bullish, "
                    "bearish, 1 star to 5 stars. \"id2label\" in config.json names the labels.");
        }
        meaning.worth_.push_back(*worth);
    }
    const auto has = [&](auto sign) { return std::ranges::any_of(meaning.worth_, sign); };
    if (!has([](double w) { return w > 0; }) || !has([](double w) { return w < 0; })) {
        return fail(Errc::invalid_input, "The labels do not distinguish positive from negative.");
    }
    return meaning;
}

std::size_t class_of(const Opinion& opinion) {
    if (opinion.positive >= opinion.neutral && opinion.positive >= opinion.negative) return 0;
    return opinion.neutral >= opinion.negative ? 1 : 2;
}

bool Meaning::has_neutral() const {
    return std::ranges::find(worth_, 0.0) != worth_.end();
}

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
