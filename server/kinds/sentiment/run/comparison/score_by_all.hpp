#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/sentiment/contract/args.hpp"
#include "server/kinds/sentiment/run/comparison/comparison.hpp"
#include "server/kinds/sentiment/run/score_by_model.hpp"
#include "server/kinds/sentiment/run/task_output_builder.hpp"

namespace plimsoll::jobs::sentiment {

// Scores every text of `source` with all models of `args`, one after the other, and compares the
// results. Rows have the scores of the first. A model that this worker cannot load is reported with
// its error, unless none can be loaded.
Result<void> score_by_all(const Args& args, TextSource source, const BatchOptions& options,
                          RunContext& context, TaskOutputBuilder& output);

// The comparison for the report; null where the job compares nothing.
nlohmann::json compared_json(const Args& args, const std::optional<Comparison>& comparison);

}  // namespace plimsoll::jobs::sentiment
