#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"
#include "server/identity/identity.hpp"

#include <optional>
#include <string>
#include <vector>

// Users who sign in with an identity provider (OpenID Connect). Every change adds an audit row in
// its transaction. Implemented by server/postgres.
namespace plimsoll::identity {

// The role that the provider's groups grant in a team of the operator's mapping; none: the user is
// removed from the team.
struct MappedTeam {
    std::string name;
    std::optional<Role> role;
};

// A user whom the provider has authenticated.
struct ProvidedUser {
    std::string issuer;
    std::string subject;             // unique at the issuer, and never reassigned
    std::vector<std::string> names;  // for a new user: the first that is free
    std::string email;               // verified by the provider; may be empty
    bool create = false;             // a user, if there is none
    bool link = false;               // to the user whose address that is, verified, if new
    std::vector<MappedTeam> teams;   // each once
    std::optional<bool> admin = {};  // whether groups make a system admin; none: they do not decide
};

using IdentityId = Id<struct IdentityTag>;

inline std::string to_public(IdentityId id) { return public_id("idn", id.value); }

// A user's identity at a provider.
struct ProvidedIdentity {
    IdentityId id;
    std::string issuer;
    std::string subject;
    Timestamp created_at;
    Timestamp last_used_at;
};

struct ProvidedSignIn {
    UserId user;
    TeamId team;                             // that the user was in last
    std::vector<std::string> unknown_teams;  // names that no team has, or an archived one
    // Teams in which the mapping was not followed: they would have lost their last owner.
    std::vector<std::string> ownerless_teams;
    bool last_admin = false;  // the user stays a system admin despite the groups: nobody else is
};

class ProviderStore {
  public:
    virtual ~ProviderStore() = default;

    template <class T>
    using Answer = awaitable<Result<T>>;

    // Marks the state of a sign-in as used; false: it already was. It is kept until `expires_at`.
    virtual Answer<bool> spend_state(std::string hash, Timestamp expires_at) = 0;

    // Finds or creates the user and applies the mapping, or changes nothing. A link ends the user's
    // earlier sessions, passwords and tokens: others may have made them. Errc::not_found: the
    // subject is unknown and `create` false; Errc::conflict: a new user whose address, or whose
    // every name, is taken; Errc::forbidden: the user is disabled, or would be in no team.
    virtual Answer<ProvidedSignIn> sign_in(ProvidedUser user, std::string request_id) = 0;

    // Oldest first.
    virtual Answer<std::vector<ProvidedIdentity>> identities(UserId user) = 0;
    // The user can no longer sign in with it, and the user's sessions end. Errc::not_found: the
    // user has no such identity.
    virtual Answer<void> unlink(Author author, UserId user, IdentityId identity) = 0;
};

}  // namespace plimsoll::identity
