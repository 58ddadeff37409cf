#pragma once

#include "server/base/time.hpp"
#include "server/jobs/kind.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"

namespace plimsoll::jobs::sentiment {

// Does one step, of one method at most, towards the proofs of a model that lacks some for this
// device, and stores a proof with the model as soon as it is made; false: there is no such model.
bool prove_next(RunContext& context);

// Finds the fastest plans for the products of one model that has none on this device, for at most
// about 20 s, and stores them; false: there is no such model. On a slow machine, the next call
// continues with the rest. Models that are loaded afterwards use them. Plans change the speed,
// never a score.
bool tune_next(RunContext& context);

// Remembers a policy that scores texts on this worker.
void remember(ResolvedPolicy policy);

// Loads the models that policies will switch to within PREOPEN_WARMUP_HOURS; returns whether one is
// kept ready. A worker knows the policy of the server's settings, and those that it used last.
bool warm_up(RunContext& context, Timestamp now);

}  // namespace plimsoll::jobs::sentiment
