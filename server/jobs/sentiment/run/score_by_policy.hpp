#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/jobs/sentiment/run/task_answer.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// Scores every text of `source` with the model that the job's policy (ResolvedPolicy) chooses for
// it. If this worker cannot load a model, because of memory, the model or the device, the next one
// of its chain is used. `texts`: the largest batch.
Result<void> score_by_policy(const nlohmann::json& policy, TextSource source, std::size_t texts,
                             RunContext& context, TaskAnswer& answer);

}  // namespace plimsoll::jobs::sentiment
