#pragma once

#include "server/base/time.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/sentiment/contract/model_choice.hpp"

namespace plimsoll::jobs::sentiment {

// Keeps in mind a policy that scores texts on this worker.
void remember(const ResolvedPolicy& policy);

// Loads the models that policies will switch to within PREOPEN_WARMUP_HOURS; whether one is kept
// ready. These policies are that of the server's settings and, since a worker knows no others, the
// last ones that it scored texts by.
bool warm_up(RunContext& context, Timestamp now);

}  // namespace plimsoll::jobs::sentiment
