#pragma once

#include "server/jobs/kind.hpp"

namespace plimsoll::jobs::sentiment {

// Proves the forms of one model that has no proof of this device, and keeps the proofs with the
// model; false: there is none.
bool prove_next(RunContext& context);

}  // namespace plimsoll::jobs::sentiment
