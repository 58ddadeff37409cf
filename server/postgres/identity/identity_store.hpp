#pragma once

#include "server/identity/store.hpp"
#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/identity/principal_lookups.hpp"
#include "server/postgres/pool/pool.hpp"

namespace plimsoll::postgres {

// Users, teams and tokens: identity_store.cpp. Authentication: sign_in.cpp.
class IdentityStore final : public identity::IdentityStore {
  public:
    // `pool` is of the role plimsoll_app and outlives this.
    IdentityStore(asio::any_io_executor executor, Pool& pool)
        : pool_(pool), principals_(std::make_shared<PrincipalLookups>(std::move(executor), pool)) {}

    template <class T>
    using Answer = identity::awaitable<Result<T>>;

    Answer<identity::Principal> by_token(std::string hash) override;
    Answer<identity::Principal> by_session(std::string hash) override;
    Answer<identity::NewSession> spend_sign_in_link(std::string hash) override;
    Answer<SessionId> create_session(identity::NewSession who, std::string hash, std::string csrf,
                                     Timestamp expires_at) override;
    Answer<void> end_session(SessionId id) override;
    Answer<void> switch_team(SessionId id, TeamId team) override;
    Answer<void> create_sign_in_link(Author author, UserId user, TeamId team, std::string hash,
                                     Timestamp expires_at) override;

    Answer<std::vector<identity::User>> users() override;
    Answer<identity::User> create_user(Author author, std::string name, std::string email,
                                       bool administrator) override;
    Answer<identity::User> update_user(Author author, UserId user,
                                       identity::UserChange change) override;
    Answer<std::vector<identity::Team>> teams(UserId user) override;
    Answer<std::vector<identity::Membership>> memberships(UserId user) override;
    Answer<identity::Team> create_team(Author author, std::string name) override;
    Answer<std::vector<identity::Member>> members(TeamId team) override;
    Answer<void> set_member(Author author, TeamId team, UserId user, identity::Role role) override;
    Answer<void> remove_member(Author author, TeamId team, UserId user) override;
    Answer<std::vector<identity::Token>> tokens(TeamId team, std::optional<UserId> user) override;
    Answer<identity::Token> create_token(Author author, identity::Token token, std::string hash,
                                         identity::TokenOrigin origin) override;
    Answer<void> revoke_token(Author author, TokenId id) override;
    Answer<bool> bootstrap(std::string user_name, std::string team_name, std::string link_hash,
                           Timestamp link_expires_at) override;

  private:
    Answer<identity::Principal> owner_of(Credential credential);
    // Runs `scope`, then `statement`; returns the rows of the latter. Clears the credential cache.
    asio::awaitable<Result<Rows>> run(Statement scope, Statement statement);

    Pool& pool_;
    std::shared_ptr<PrincipalLookups> principals_;
    std::shared_ptr<PrincipalCache> known_ = std::make_shared<PrincipalCache>();
};

}  // namespace plimsoll::postgres
