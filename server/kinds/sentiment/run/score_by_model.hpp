#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/sentiment/contract/args.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

#include <cstddef>
#include <span>

namespace plimsoll::jobs::sentiment {

// How the models of a job read its texts.
struct BatchOptions {
    std::size_t texts = 0;  // of a batch, at most
    bool windows = false;   // a long text is read to its end, window by window, not truncated
};
BatchOptions batch_options(const Options& options, const KindSettings& settings);

// Scores the texts of `source` with a published model. Afterwards `take` gets every item in order,
// with its scores unless it is an error. Memory: the task's texts.
Result<void> score_by_model(TextSource source, LoadedModel& model, const BatchOptions& options,
                            RunContext& context, const TakeScores& take);

// The texts of a task that share batches with those of others.
struct SharedTexts {
    TextSource source;
    RunContext& context;
    TakeScores take;
    bool windows = false;  // see BatchOptions
    Result<void> done = {};
    std::size_t tokens = 0;  // that the device processed
};
// Scores the texts of several tasks, in batches of at most `texts`. Returns an error of the device
// or of `watch`; then no `take` was called.
Result<void> score_together(std::span<SharedTexts> tasks, LoadedModel& model, std::size_t texts,
                            const Watch& watch);

}  // namespace plimsoll::jobs::sentiment
