#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/identity/identity.hpp"

#include <boost/asio/awaitable.hpp>

// Stores users, teams, tokens and sessions. Implemented by server/postgres. Every write adds an
// audit row in the same transaction. Errc::not_found covers both what does not exist and what the
// author may not see.
namespace plimsoll::identity {

using boost::asio::awaitable;

struct NewSession {
    UserId user;
    TeamId team;
    std::optional<TokenId>
        token;  // the token that opened it, if any: the session ends with the token
};

class IdentityStore {
  public:
    virtual ~IdentityStore() = default;

    // Look up by the secret's SHA-256. Errc::unauthenticated: unknown, expired, revoked or
    // disabled.
    virtual awaitable<Result<Principal>> by_token(std::string hash) = 0;
    virtual awaitable<Result<Principal>> by_session(std::string hash) = 0;

    // Consumes the link: a second use is Errc::unauthenticated.
    virtual awaitable<Result<NewSession>> spend_sign_in_link(std::string hash) = 0;
    virtual awaitable<Result<SessionId>> create_session(NewSession who, std::string hash,
                                                        std::string csrf, Timestamp expires_at) = 0;
    virtual awaitable<Result<void>> end_session(SessionId id) = 0;
    // Switches the session to another team of its user. Errc::not_found: the user is not a member
    // of it; Errc::conflict: a token opened the session, so it is bound to one team.
    virtual awaitable<Result<void>> switch_team(SessionId id, TeamId team) = 0;
    virtual awaitable<Result<void>> create_sign_in_link(Author author, UserId user, TeamId team,
                                                        std::string hash, Timestamp expires_at) = 0;

    virtual awaitable<Result<std::vector<User>>> users() = 0;
    virtual awaitable<Result<User>> create_user(Author author, std::string name, std::string email,
                                                bool administrator) = 0;
    // Errc::conflict if the name or address is taken, or no administrator would be left.
    virtual awaitable<Result<User>> update_user(Author author, UserId user, UserChange change) = 0;
    // The teams of a user; every team for an administrator.
    virtual awaitable<Result<std::vector<Team>>> teams(UserId user) = 0;
    // The teams that the user is a member of, by name.
    virtual awaitable<Result<std::vector<Membership>>> memberships(UserId user) = 0;
    virtual awaitable<Result<Team>> create_team(Author author, std::string name) = 0;
    virtual awaitable<Result<std::vector<Member>>> members(TeamId team) = 0;
    virtual awaitable<Result<void>> set_member(Author author, TeamId team, UserId user,
                                               Role role) = 0;
    // Errc::conflict for the last owner.
    virtual awaitable<Result<void>> remove_member(Author author, TeamId team, UserId user) = 0;

    virtual awaitable<Result<std::vector<Token>>> tokens(TeamId team,
                                                         std::optional<UserId> user) = 0;
    // Errc::conflict if the user has kTokensPerUser.
    virtual awaitable<Result<Token>> create_token(Author author, Token token, std::string hash,
                                                  TokenOrigin origin) = 0;
    // Also revokes the tokens created with it, and those created with them.
    virtual awaitable<Result<void>> revoke_token(Author author, TokenId id) = 0;

    // First start: creates an administrator, a team and a one-time sign-in link, unless a user
    // exists. Returns whether they were created.
    virtual awaitable<Result<bool>> bootstrap(std::string user_name, std::string team_name,
                                              std::string link_hash, Timestamp link_expires_at) = 0;
};

}  // namespace plimsoll::identity
