#pragma once

#include "engine/base/result.hpp"
#include "server/identity/identity.hpp"
#include "server/postgres/driver/rows.hpp"

namespace plimsoll::postgres {

identity::User to_user(const Row& row);
identity::Team to_team(const Row& row);
identity::Member to_member(const Row& row);
identity::Token to_token(const Row& row);

// From a row of identity.by_tokens or identity.by_sessions, less what only one of them has.
identity::Principal to_principal(const Row& row);

// What is said of a secret that is nobody's.
Error not_valid();

}  // namespace plimsoll::postgres
