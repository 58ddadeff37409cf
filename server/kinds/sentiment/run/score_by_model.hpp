#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"
#include "server/kinds/sentiment/run/reading.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

#include <functional>
#include <span>

namespace plimsoll::jobs::sentiment {

// Scores the texts of `source` with a published model. Afterwards `take` gets every item in order,
// with its scores unless it is an error. Memory: the task's texts.
using TakeScores = std::function<void(const text::RecordView&, const TextScores*)>;
Result<void> score_by_model(TextSource source, LoadedModel& model, const Reading& reading,
                            RunContext& context, const TakeScores& take);

// The texts of a task that share batches with those of others.
struct SharedTexts {
    TextSource source;
    RunContext& context;
    TakeScores take;
    bool windows = false;  // see Reading
    Result<void> done = {};
    std::size_t tokens = 0;  // that the device processed
};
// Scores the texts of several tasks, in batches of at most `texts`. Returns an error of the device
// or of `watch`; then no `take` was called.
Result<void> score_together(std::span<SharedTexts> tasks, LoadedModel& model, std::size_t texts,
                            const Watch& watch);

}  // namespace plimsoll::jobs::sentiment
