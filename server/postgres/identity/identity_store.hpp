#pragma once

#include "server/identity/store.hpp"
#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/identity/principal_lookups.hpp"
#include "server/postgres/pool/pool.hpp"

namespace plimsoll::postgres {

// People, teams and their secrets: identity_store.cpp. Proving who one is: sign_in.cpp.
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
    Answer<void> create_sign_in_link(identity::Actor actor, UserId user, TeamId team,
                                     std::string hash, Timestamp expires_at) override;

    Answer<std::vector<identity::User>> users() override;
    Answer<identity::User> create_user(identity::Actor actor, std::string name, std::string email,
                                       bool administrator) override;
    Answer<std::vector<identity::Team>> teams(UserId user) override;
    Answer<identity::Team> create_team(identity::Actor actor, std::string name) override;
    Answer<std::vector<identity::Member>> members(TeamId team) override;
    Answer<void> set_member(identity::Actor actor, TeamId team, UserId user,
                            identity::Role role) override;
    Answer<void> remove_member(identity::Actor actor, TeamId team, UserId user) override;
    Answer<std::vector<identity::Token>> tokens(TeamId team, std::optional<UserId> user) override;
    Answer<identity::Token> create_token(identity::Actor actor, identity::Token token,
                                         std::string hash) override;
    Answer<void> revoke_token(identity::Actor actor, TokenId id) override;
    Answer<bool> bootstrap(std::string user_name, std::string team_name, std::string link_hash,
                           Timestamp link_expires_at) override;

  private:
    Answer<identity::Principal> owner_of(Credential credential);
    // The rows of the last statement, after the one that says whose rows may be seen. Whatever it
    // was, credentials are looked up anew after it.
    asio::awaitable<Result<Rows>> run(Statement scope, Statement statement);

    Pool& pool_;
    std::shared_ptr<PrincipalLookups> principals_;
    std::shared_ptr<PrincipalCache> known_ = std::make_shared<PrincipalCache>();
};

}  // namespace plimsoll::postgres
