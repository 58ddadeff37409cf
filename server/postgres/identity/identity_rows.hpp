#pragma once

#include "engine/base/result.hpp"
#include "server/identity/identity.hpp"
#include "server/postgres/driver/rows.hpp"

namespace plimsoll::postgres {

identity::User to_user(const Row& row);
identity::Account to_user_account(const Row& row);
identity::Team to_team(const Row& row);
identity::Member to_member(const Row& row);
identity::Membership to_membership(const Row& row);
identity::Session to_session(const Row& row);
identity::Token to_token(const Row& row);

// From a row of identity.by_tokens or identity.by_sessions, without members specific to one of
// them.
identity::Principal to_principal(const Row& row);

// The error for an unknown credential.
Error invalid_credential();

}  // namespace plimsoll::postgres
