#pragma once

#include "engine/base/result.hpp"
#include "server/identity/identity.hpp"

#include <boost/asio/awaitable.hpp>

// Users, teams and what they carry. Implemented by server/postgres. Every write leaves an audit
// row in the same transaction. What the actor may not see is Errc::not_found.
namespace plimsoll::identity {

using boost::asio::awaitable;

// Who writes, for the audit row.
struct Actor {
    UserId user;
    TeamId team;
    std::string request_id;
};

struct NewSession {
    UserId user;
    TeamId team;
    std::optional<TokenId> token;  // what opened it, when that was a token: it ends with the token
};

class IdentityStore {
  public:
    virtual ~IdentityStore() = default;

    // By the secret's hash. Errc::unauthenticated when unknown, expired, revoked or disabled.
    virtual awaitable<Result<Principal>> by_token(std::string hash) = 0;
    virtual awaitable<Result<Principal>> by_session(std::string hash) = 0;

    // Spends the link: a second use is Errc::unauthenticated.
    virtual awaitable<Result<NewSession>> spend_sign_in_link(std::string hash) = 0;
    virtual awaitable<Result<SessionId>> create_session(NewSession who, std::string hash,
                                                        std::string csrf, Timestamp expires_at) = 0;
    virtual awaitable<Result<void>> end_session(SessionId id) = 0;
    virtual awaitable<Result<void>> create_sign_in_link(Actor actor, UserId user, TeamId team,
                                                        std::string hash, Timestamp expires_at) = 0;

    virtual awaitable<Result<std::vector<User>>> users() = 0;
    virtual awaitable<Result<User>> create_user(Actor actor, std::string name, std::string email,
                                                bool administrator) = 0;
    // The teams of a user; every team for an administrator.
    virtual awaitable<Result<std::vector<Team>>> teams(UserId user) = 0;
    virtual awaitable<Result<Team>> create_team(Actor actor, std::string name) = 0;
    virtual awaitable<Result<std::vector<Member>>> members(TeamId team) = 0;
    virtual awaitable<Result<void>> set_member(Actor actor, TeamId team, UserId user,
                                               Role role) = 0;
    // Errc::conflict for the last owner.
    virtual awaitable<Result<void>> remove_member(Actor actor, TeamId team, UserId user) = 0;

    virtual awaitable<Result<std::vector<Token>>> tokens(TeamId team,
                                                         std::optional<UserId> user) = 0;
    virtual awaitable<Result<Token>> create_token(Actor actor, Token token, std::string hash) = 0;
    virtual awaitable<Result<void>> revoke_token(Actor actor, TokenId id) = 0;

    // First start: an administrator, a team and a one-time sign-in link, unless a user exists
    // already. True when they were made.
    virtual awaitable<Result<bool>> bootstrap(std::string user_name, std::string team_name,
                                              std::string link_hash, Timestamp link_expires_at) = 0;
};

}  // namespace plimsoll::identity
