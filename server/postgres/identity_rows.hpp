#pragma once

#include "server/identity/identity.hpp"
#include "server/postgres/rows.hpp"

namespace plimsoll::postgres {

identity::User to_user(const Row& row);
identity::Team to_team(const Row& row);
identity::Member to_member(const Row& row);
identity::Token to_token(const Row& row);

// From a row of identity.by_token or identity.by_session, less what only one of them has.
identity::Principal to_principal(const Row& row);

}  // namespace plimsoll::postgres
