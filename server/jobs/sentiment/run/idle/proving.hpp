#pragma once

#include "server/jobs/kind.hpp"

namespace plimsoll::jobs::sentiment {

// Proves the forms of one model without a proof for this device, and stores the proofs with the
// model; false: there is no such model.
bool prove_next(RunContext& context);

}  // namespace plimsoll::jobs::sentiment
