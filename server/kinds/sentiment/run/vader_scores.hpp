#pragma once

#include "engine/sentiment/vader/vader.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

namespace plimsoll::jobs::sentiment {

// Labels as VADER's authors recommend: positive at a compound score of 0.05 or more, negative at
// -0.05 or less.
TextScores scores_of(const ::plimsoll::sentiment::vader::Scores& scores);

}  // namespace plimsoll::jobs::sentiment
