#pragma once

#include "server/jobs/kind.hpp"

namespace plimsoll::jobs::sentiment {

// Does one step, of one method at most, towards the proofs of a model that lacks some for this
// device, and stores a proof with the model as soon as it is made; false: there is no such model.
bool prove_next(RunContext& context);

}  // namespace plimsoll::jobs::sentiment
