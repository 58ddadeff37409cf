#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/jobs/sentiment/run/loaded_models.hpp"
#include "server/jobs/sentiment/run/scores.hpp"

#include <functional>

namespace plimsoll::jobs::sentiment {

// Scores the texts of `source` with a published model, in batches of at most `texts`. Afterwards
// `take` gets every item in order, with its scores unless it is an error. Memory: the task's texts.
using TakeScores = std::function<void(const text::RecordView&, const TextScores*)>;
Result<void> score_by_model(TextSource source, LoadedModel& model, std::size_t texts,
                            RunContext& context, const TakeScores& take);

}  // namespace plimsoll::jobs::sentiment
