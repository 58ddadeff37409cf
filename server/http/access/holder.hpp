#pragma once

#include "server/base/fair_budget.hpp"
#include "server/identity/identity.hpp"

namespace plimsoll::http {

// Whom a shared budget counts: the user, so that many tokens have one share, and the team.
inline FairBudget::Holder holder_of(const identity::Principal& principal) {
    return {to_public(principal.user.id), to_public(principal.team.id)};
}

}  // namespace plimsoll::http
