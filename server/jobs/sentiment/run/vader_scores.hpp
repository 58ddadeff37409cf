#pragma once

#include "engine/sentiment/vader/vader.hpp"
#include "server/jobs/sentiment/run/scores.hpp"

namespace plimsoll::jobs::sentiment {

// Labels as VADER's authors recommend: positive from a compound of 0.05, negative to -0.05.
TextScores scores_of(const ::plimsoll::sentiment::vader::Scores& scores);

}  // namespace plimsoll::jobs::sentiment
