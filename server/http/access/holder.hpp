#pragma once

#include "server/base/fair_budget.hpp"
#include "server/identity/identity.hpp"

namespace plimsoll::http {

// The holder of a share of a budget: the user, so that all tokens of a user have one share, and the
// team.
inline FairBudget::Holder holder_of(const identity::Principal& principal) {
    return {to_public(principal.user.id), to_public(principal.team.id)};
}

}  // namespace plimsoll::http
