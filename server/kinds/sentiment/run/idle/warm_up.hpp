#pragma once

#include "server/base/time.hpp"
#include "server/jobs/kind.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"

namespace plimsoll::jobs::sentiment {

// Remembers a policy that scores texts on this worker.
void remember(ResolvedPolicy policy);

// Loads the models that policies will switch to within PREOPEN_WARMUP_HOURS; returns whether one is
// kept ready. A worker knows the policy of the server's settings, and those that it used last.
bool warm_up(RunContext& context, Timestamp now);

}  // namespace plimsoll::jobs::sentiment
