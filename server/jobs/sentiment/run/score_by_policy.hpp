#pragma once

#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_source.hpp"
#include "server/jobs/sentiment/run/task_answer.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// Scores every text of `source` by the model that the job's policy (ResolvedPolicy) chooses for it.
// A model that this worker cannot load, for want of memory, of the model or of a device, makes way
// for the next of its chain. `texts`: the most of a batch.
Result<void> score_by_policy(const nlohmann::json& policy, TextSource source, std::size_t texts,
                             RunContext& context, TaskAnswer& answer);

}  // namespace plimsoll::jobs::sentiment
