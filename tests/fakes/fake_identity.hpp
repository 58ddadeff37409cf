#pragma once

#include "server/identity/store.hpp"

#include <map>
#include <set>
#include <utility>

namespace plimsoll::fakes {

using boost::asio::awaitable;

// Users, teams and credentials in memory. It starts with a team "research" (ada, owner and
// system admin; vera, viewer) and a team "trading" (tom, owner), and a token for each of them.
// The other fakes take names from it. It keeps no audit rows.
class FakeIdentity final : public identity::IdentityStore {
  public:
    FakeIdentity();

    awaitable<Result<std::string>> cursor_key() override;
    awaitable<Result<identity::Principal>> by_token(std::string hash) override;
    awaitable<Result<identity::Principal>> by_session(std::string hash) override;
    awaitable<Result<identity::NewSession>> spend_sign_in_link(std::string hash) override;
    awaitable<Result<SessionId>> create_session(identity::NewSession who, std::string hash,
                                                std::string csrf, Timestamp expires_at) override;
    awaitable<Result<std::vector<identity::Session>>> sessions(identity::SessionsOf whose) override;
    awaitable<Result<void>> end_session(Author author, SessionId id) override;
    awaitable<Result<void>> switch_team(SessionId id, TeamId team) override;
    awaitable<Result<void>> create_sign_in_link(Author author, UserId user, TeamId team,
                                                std::string hash, Timestamp expires_at) override;
    awaitable<Result<std::vector<identity::Account>>> users() override;
    awaitable<Result<identity::User>> create_user(Author author, std::string name,
                                                  std::string email, bool administrator) override;
    awaitable<Result<identity::User>> update_user(Author author, UserId user,
                                                  identity::UserChange change) override;
    awaitable<Result<void>> remove_user(Author author, UserId user) override;
    awaitable<Result<std::vector<identity::Member>>> service_accounts(TeamId team) override;
    awaitable<Result<identity::Member>> create_service_account(Author author, std::string name,
                                                               identity::Role role) override;
    awaitable<Result<identity::Member>> update_service_account(
        Author author, UserId account, identity::ServiceAccountChange change) override;
    awaitable<Result<void>> remove_service_account(Author author, UserId account) override;
    awaitable<Result<std::vector<identity::Team>>> teams(UserId user) override;
    awaitable<Result<std::vector<identity::Membership>>> memberships(UserId user) override;
    awaitable<Result<identity::Team>> create_team(Author author, std::string name) override;
    awaitable<Result<identity::Team>> update_team(Author author, TeamId team,
                                                  identity::TeamChange change) override;
    awaitable<Result<std::vector<identity::Member>>> members(TeamId team) override;
    awaitable<Result<void>> set_member(Author author, TeamId team, UserId user,
                                       identity::Role role) override;
    awaitable<Result<void>> remove_member(Author author, TeamId team, UserId user) override;
    awaitable<Result<std::vector<identity::Token>>> tokens(TeamId team,
                                                           std::optional<UserId> user) override;
    awaitable<Result<identity::Token>> create_token(Author author, identity::Token token,
                                                    std::string hash,
                                                    identity::TokenOrigin origin) override;
    awaitable<Result<void>> rename_token(Author author, TokenId id, std::string name) override;
    awaitable<Result<void>> revoke_token(Author author, TokenId id) override;
    awaitable<Result<bool>> bootstrap(std::string user_name, std::string team_name,
                                      std::string link_hash, Timestamp link_expires_at) override;

    // Empty: there is no such user or team.
    std::string name_of(UserId user) const;
    std::string name_of(TeamId team) const;

    // For the passwords. nullopt: not a person.
    std::optional<identity::User> person(UserId user) const;
    // By address, else by name.
    std::optional<UserId> find_person(const std::string& name) const;
    // That the person was in last.
    std::optional<TeamId> last_team(UserId user) const;
    bool has_signed_in(UserId user, const std::string& network) const;
    bool has_token(TokenId id) const;
    bool is_opened_by_token(SessionId session) const;
    // With an address that nobody has verified.
    Result<UserId> add_invited(const std::string& name, const std::string& email);
    // By a verified address.
    std::optional<UserId> owner_of(std::string email) const;
    void end_credentials(UserId user);
    // The sessions but one, and the links.
    void sign_out(UserId user, std::optional<SessionId> except);

    // nullopt: there is none, or it is archived.
    std::optional<TeamId> team_named(const std::string& name) const;

    // Who has a second factor, and who came by an identity provider: the other fakes say it.
    std::set<UserId> with_factor;
    std::set<UserId> provided;

    // Secrets.
    std::string ada, vera, tom, narrow, link;  // `narrow` is ada's with jobs:read alone
    std::string brief;                         // ada's, until kBriefEnd
    static constexpr std::string_view kBriefEnd = "2998-01-01T00:00:00.000Z";

  private:
    struct Issued {
        identity::Token token;
        TeamId team;
        std::optional<TokenId> parent = {};
    };
    struct Session {
        identity::NewSession who;
        SessionId id;
        std::string csrf;
        Timestamp expires_at;
        Timestamp created_at = {};
    };
    struct Link {
        identity::NewSession who;
        Timestamp expires_at;
    };

    UserId add_user(const std::string& name, bool administrator);
    TeamId add_team(const std::string& name);
    std::string issue(UserId user, TeamId team, std::set<std::string, std::less<>> scopes,
                      std::optional<Timestamp> expires_at = {});
    Result<identity::Principal> principal(UserId user, TeamId team) const;
    // The token's entry in tokens_, if it has not expired.
    Issued* valid(TokenId id);
    // Another person has the name, or one that looks like it.
    bool is_taken(const std::string& name, UserId except = {}) const;
    bool is_last_owner(TeamId team, UserId user) const;
    // The account of the team, or nullptr.
    identity::User* account_of(TeamId team, UserId account);
    void leave_team(TeamId team, UserId user);

    std::int64_t next_ = 1;
    std::map<UserId, identity::User> users_;
    std::map<TeamId, identity::Team> teams_;
    std::map<std::pair<TeamId, UserId>, identity::Role> members_;
    std::map<UserId, TeamId> accounts_;                  // service accounts, and whose they are
    std::map<std::string, Issued> tokens_;               // by hash
    std::map<std::string, Session> sessions_;            // by hash
    std::map<std::string, Link> links_;                  // by hash
    std::set<std::pair<UserId, std::string>> networks_;  // where people signed in
    std::map<UserId, TeamId> last_teams_;
    std::set<UserId> unverified_;  // whose address nobody has verified
};

}  // namespace plimsoll::fakes
