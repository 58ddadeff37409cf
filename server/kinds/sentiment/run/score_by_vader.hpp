#pragma once

#include "engine/sentiment/vader/vader.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/sentiment/run/score_by_model.hpp"

namespace plimsoll::jobs::sentiment {

// Labels as VADER's authors recommend.
inline Label label_of(double compound) {
    constexpr double kThreshold = 0.05;
    // Without branches, which nothing predicts: positive, neutral, negative.
    return static_cast<Label>(int{compound < kThreshold} + int{compound <= -kThreshold});
}

TextScores scores_of(const ::plimsoll::sentiment::vader::Scores& scores);

// Scores the texts of `source` one by one; `take` gets every item in order, as in score_by_model.
Result<void> score_by_vader(TextSource source, RunContext& context, const TakeScores& take);

}  // namespace plimsoll::jobs::sentiment
