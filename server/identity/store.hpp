#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/identity/identity.hpp"

#include <vector>

// Stores users, teams, tokens and sessions. Implemented by server/postgres. Every write adds an
// audit row in the same transaction. Errc::not_found covers both what does not exist and what the
// author may not see.
namespace plimsoll::identity {

struct NewSession {
    UserId user;
    TeamId team;
    std::optional<TokenId>
        token;                 // the token that opened it, if any: the session ends with the token
    std::string address = {};  // of the client
    std::string agent = {};    // ASCII, at most kAgentLength
};

inline constexpr std::size_t kAgentLength = 200;

// The sessions that a list contains.
struct SessionsOf {
    UserId user;
    TeamId team;
    bool whole_team = false;  // also other users' sessions in `team`
    bool all_teams = true;    // of the user
};

class IdentityStore {
  public:
    virtual ~IdentityStore() = default;

    // The key that signs what the installation's servers send out, such as cursors, kSealKeyBytes.
    virtual awaitable<Result<std::string>> cursor_key() = 0;

    // Look up by the secret's SHA-256. Errc::unauthenticated: unknown, expired, revoked or
    // disabled.
    virtual awaitable<Result<Principal>> by_token(std::string hash) = 0;
    virtual awaitable<Result<Principal>> by_session(std::string hash) = 0;

    // Consumes the link: a second use is Errc::unauthenticated.
    virtual awaitable<Result<NewSession>> spend_sign_in_link(std::string hash) = 0;
    virtual awaitable<Result<SessionId>> create_session(NewSession who, std::string hash,
                                                        std::string csrf, Timestamp expires_at) = 0;
    // The open sessions.
    virtual awaitable<Result<std::vector<Session>>> sessions(SessionsOf whose) = 0;
    virtual awaitable<Result<void>> end_session(Author author, SessionId id) = 0;
    // Switches the session to another team of its user. Errc::not_found: the user is not a member
    // of it; Errc::conflict: a token opened the session, so it is bound to one team.
    virtual awaitable<Result<void>> switch_team(SessionId id, TeamId team) = 0;
    virtual awaitable<Result<void>> create_sign_in_link(Author author, UserId user, TeamId team,
                                                        std::string hash, Timestamp expires_at) = 0;

    virtual awaitable<Result<std::vector<Account>>> users() = 0;
    virtual awaitable<Result<User>> create_user(Author author, std::string name, std::string email,
                                                bool administrator) = 0;
    // Errc::conflict if the name or address is taken, or no system admin would be left.
    virtual awaitable<Result<User>> update_user(Author author, UserId user, UserChange change) = 0;
    // Ends the user's memberships, tokens and sessions; what the user created stays with the teams.
    // Errc::conflict: the last system admin, or the last owner of a team.
    virtual awaitable<Result<void>> remove_user(Author author, UserId user) = 0;

    virtual awaitable<Result<std::vector<Member>>> service_accounts(TeamId team) = 0;
    // Errc::conflict if the name is taken or the team already has kServiceAccountsPerTeam.
    virtual awaitable<Result<Member>> create_service_account(Author author, std::string name,
                                                             Role role) = 0;
    virtual awaitable<Result<Member>> update_service_account(Author author, UserId account,
                                                             ServiceAccountChange change) = 0;
    virtual awaitable<Result<void>> remove_service_account(Author author, UserId account) = 0;

    // The teams of a user; every team, archived ones too, for a system admin.
    virtual awaitable<Result<std::vector<Team>>> teams(UserId user) = 0;
    // The teams that the user is a member of, by name.
    virtual awaitable<Result<std::vector<Membership>>> memberships(UserId user) = 0;
    virtual awaitable<Result<Team>> create_team(Author author, std::string name) = 0;
    // Errc::conflict if the name is taken.
    virtual awaitable<Result<Team>> update_team(Author author, TeamId team, TeamChange change) = 0;
    // People only; service accounts are listed separately.
    virtual awaitable<Result<std::vector<Member>>> members(TeamId team) = 0;
    virtual awaitable<Result<void>> set_member(Author author, TeamId team, UserId user,
                                               Role role) = 0;
    // Errc::conflict for the last owner.
    virtual awaitable<Result<void>> remove_member(Author author, TeamId team, UserId user) = 0;

    virtual awaitable<Result<std::vector<Token>>> tokens(TeamId team,
                                                         std::optional<UserId> user) = 0;
    // Errc::conflict if the user already has kTokensPerUser.
    virtual awaitable<Result<Token>> create_token(Author author, Token token, std::string hash,
                                                  TokenOrigin origin) = 0;
    virtual awaitable<Result<void>> rename_token(Author author, TokenId id, std::string name) = 0;
    // Also revokes the tokens created with it, and those created with them.
    virtual awaitable<Result<void>> revoke_token(Author author, TokenId id) = 0;

    // First start: creates a system admin, a team and a one-time sign-in link, unless a user
    // exists. Returns whether they were created.
    virtual awaitable<Result<bool>> bootstrap(std::string user_name, std::string team_name,
                                              std::string link_hash, Timestamp link_expires_at) = 0;
};

}  // namespace plimsoll::identity
