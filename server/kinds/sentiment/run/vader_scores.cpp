#include "server/kinds/sentiment/run/vader_scores.hpp"

#include <cmath>

namespace plimsoll::jobs::sentiment {
namespace {

constexpr std::int64_t kLabelThreshold = 500;  // 0.05

Label label_of(std::int64_t compound) {
    if (compound >= kLabelThreshold) return Label::positive;
    if (compound <= -kLabelThreshold) return Label::negative;
    return Label::neutral;
}

}  // namespace

TextScores scores_of(const ::plimsoll::sentiment::vader::Scores& scores) {
    const auto compound = scaled(scores.compound);
    return {.label = label_of(compound),
            .compound = compound,
            .positive = scaled(scores.pos),
            .neutral = scaled(scores.neu),
            .negative = scaled(scores.neg)};
}

}  // namespace plimsoll::jobs::sentiment
