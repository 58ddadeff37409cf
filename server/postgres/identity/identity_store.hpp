#pragma once

#include "server/identity/store.hpp"
#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/pool/pool.hpp"

namespace plimsoll::postgres {

// Users, teams and tokens: identity_store.cpp. Authentication and sessions: sign_in.cpp. Service
// accounts, and removing them and users: accounts.cpp.
class IdentityStore final : public identity::IdentityStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    IdentityStore(asio::any_io_executor executor, Pool& pool)
        : pool_(pool), principals_(std::make_shared<PrincipalLookups>(std::move(executor), pool)) {}

    template <class T>
    using Answer = awaitable<Result<T>>;

    // For stores whose changes end sessions or tokens, too.
    std::shared_ptr<PrincipalCache> known() const { return known_; }

    Answer<std::string> cursor_key() override;
    Answer<identity::Principal> by_token(std::string hash) override;
    Answer<identity::Principal> by_session(std::string hash) override;
    Answer<identity::NewSession> spend_sign_in_link(std::string hash) override;
    Answer<SessionId> create_session(identity::NewSession who, std::string hash, std::string csrf,
                                     Timestamp expires_at) override;
    Answer<std::vector<identity::Session>> sessions(identity::SessionsOf whose) override;
    Answer<void> end_session(Author author, SessionId id) override;
    Answer<void> switch_team(SessionId id, TeamId team) override;
    Answer<void> create_sign_in_link(Author author, UserId user, TeamId team, std::string hash,
                                     Timestamp expires_at) override;

    Answer<std::vector<identity::Account>> users() override;
    Answer<identity::User> create_user(Author author, std::string name, std::string email,
                                       bool administrator) override;
    Answer<identity::User> update_user(Author author, UserId user,
                                       identity::UserChange change) override;
    Answer<void> remove_user(Author author, UserId user) override;
    Answer<std::vector<identity::Member>> service_accounts(TeamId team) override;
    Answer<identity::Member> create_service_account(Author author, std::string name,
                                                    identity::Role role) override;
    Answer<identity::Member> update_service_account(Author author, UserId account,
                                                    identity::ServiceAccountChange change) override;
    Answer<void> remove_service_account(Author author, UserId account) override;
    Answer<std::vector<identity::Team>> teams(UserId user) override;
    Answer<std::vector<identity::Membership>> memberships(UserId user) override;
    Answer<identity::Team> create_team(Author author, std::string name) override;
    Answer<identity::Team> update_team(Author author, TeamId team,
                                       identity::TeamChange change) override;
    Answer<std::vector<identity::Member>> members(TeamId team) override;
    Answer<void> set_member(Author author, TeamId team, UserId user, identity::Role role) override;
    Answer<void> remove_member(Author author, TeamId team, UserId user) override;
    Answer<std::vector<identity::Token>> tokens(TeamId team, std::optional<UserId> user) override;
    Answer<identity::Token> create_token(Author author, identity::Token token, std::string hash,
                                         identity::TokenOrigin origin) override;
    Answer<void> rename_token(Author author, TokenId id, std::string name) override;
    Answer<void> revoke_token(Author author, TokenId id) override;
    Answer<bool> bootstrap(std::string user_name, std::string team_name, std::string link_hash,
                           Timestamp link_expires_at) override;

  private:
    Answer<identity::Principal> owner_of(Credential credential);
    // Runs `scope`, then `statement`; returns the rows of the latter. Clears the credential cache.
    awaitable<Result<Rows>> run(Statement scope, Statement statement);

    Pool& pool_;
    std::shared_ptr<PrincipalLookups> principals_;
    std::shared_ptr<PrincipalCache> known_ = std::make_shared<PrincipalCache>();
};

}  // namespace plimsoll::postgres
