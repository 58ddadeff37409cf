#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/kinds/sentiment/run/reading.hpp"
#include "server/kinds/sentiment/run/task_answer.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// Scores every text of `source` with all models of `args` (the plan's "models"), one after the
// other, and compares the results. Rows have the scores of the first. A model that this worker
// cannot load is reported with its error, unless none can be loaded.
Result<void> score_by_all(const nlohmann::json& args, TextSource source, const Reading& reading,
                          RunContext& context, TaskAnswer& answer);

}  // namespace plimsoll::jobs::sentiment
