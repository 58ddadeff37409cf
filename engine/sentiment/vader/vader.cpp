#include "engine/sentiment/vader/vader.hpp"

#include "engine/sentiment/vader/expand.hpp"
#include "engine/sentiment/vader/valence.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace plimsoll::sentiment::vader {
namespace {

// Force of exclamation and question marks anywhere in the text.
double emphasis(std::size_t exclamations, std::size_t questions) {
    const double exclaimed = static_cast<double>(std::min<std::size_t>(exclamations, 4)) * 0.292;
    double asked = 0;
    if (questions > 3)
        asked = 0.96;
    else if (questions > 1)
        asked = static_cast<double>(questions) * 0.18;
    return exclaimed + asked;
}

double compound_of(double sum) {
    constexpr double kAlpha = 15;  // about the largest sum to expect
    return std::clamp(sum / std::sqrt(sum * sum + kAlpha), -1.0, 1.0);
}

Scores combine(std::span<const Contribution> contributions, std::size_t tokens, double amplifier) {
    double sum = 0;
    double positive = 0;
    double negative = 0;
    std::size_t neutral = tokens;
    for (const Contribution& c : contributions) {
        sum += c.valence;
        // One more for each side makes up for neutral words counting as one.
        if (c.valence > 0) positive += c.valence + 1;
        if (c.valence < 0) negative += c.valence - 1;
        if (c.valence != 0) --neutral;
    }
    if (sum > 0)
        sum += amplifier;
    else if (sum < 0)
        sum -= amplifier;
    if (positive > std::fabs(negative))
        positive += amplifier;
    else if (positive < std::fabs(negative))
        negative -= amplifier;
    const double total = positive + std::fabs(negative) + static_cast<double>(neutral);
    return {.neg = round_decimal(std::fabs(negative / total), 1000),
            .neu = round_decimal(std::fabs(static_cast<double>(neutral) / total), 1000),
            .pos = round_decimal(std::fabs(positive / total), 1000),
            .compound = round_decimal(compound_of(sum), 10000)};
}

}  // namespace

Scores Scorer::score(std::string_view utf8) {
    if (!text::is_ascii(utf8)) {
        expand(utf8, expanded_);
        utf8 = expanded_;
    }
    tokens_.split(utf8);
    if (tokens_.all().empty()) return {};
    contributions_.clear();
    for (const std::uint32_t token : tokens_.hits())
        contributions_.push_back({token, valence_at(tokens_, token)});
    if (!contributions_.empty()) {
        if (const auto turn = tokens_.turn()) apply_contrast(contributions_, *turn);
    }
    return combine(contributions_, tokens_.all().size(),
                   emphasis(tokens_.exclamations(), tokens_.questions()));
}

}  // namespace plimsoll::sentiment::vader
