#pragma once

#include "server/jobs/kind.hpp"

namespace plimsoll::jobs::sentiment {

// Finds the fastest plans for the products of one model that has none on this device, for at most
// about 20 s, and stores them; false: there is no such model. On a slow machine, the next call
// continues with the rest. Models that are loaded afterwards use them. Plans change the speed,
// never a score.
bool tune_next(RunContext& context);

}  // namespace plimsoll::jobs::sentiment
