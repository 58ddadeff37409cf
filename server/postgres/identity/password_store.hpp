#pragma once

#include "server/identity/password_store.hpp"
#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/pool/pool.hpp"

#include <memory>
#include <utility>

namespace plimsoll::postgres {

class PasswordStore final : public identity::PasswordStore {
  public:
    // `pool` has the role plimsoll_app and outlives this. `known`: the identity store's, which a
    // change clears, because it ends sessions.
    PasswordStore(Pool& pool, std::shared_ptr<PrincipalCache> known)
        : pool_(pool), known_(std::move(known)) {}

    Answer<identity::PasswordAttempt> begin_attempt(std::string name, std::string address) override;
    Answer<identity::PasswordAttempt> begin_attempt(UserId user, std::string address) override;
    Answer<void> forget_attempts(identity::PasswordAttempt attempt) override;
    Answer<void> renew_hash(UserId user, std::string present, std::string hash) override;
    Answer<std::optional<Timestamp>> changed_at(UserId user) override;
    Answer<void> change(Author author, std::string hash, std::string present,
                        std::optional<SessionId> session) override;
    Answer<void> create_link(Author author, UserId user, std::string link_hash,
                             Timestamp expires_at) override;
    Answer<void> spend_link(std::string link_hash, std::string hash) override;

    Answer<std::optional<identity::SecondFactor>> second_factor(UserId user) override;
    Answer<void> offer_second_factor(UserId user, std::string secret) override;
    Answer<void> confirm_second_factor(Author author, std::string secret, std::int64_t step,
                                       std::vector<std::string> recovery_hashes) override;
    Answer<bool> spend_step(UserId user, std::int64_t step) override;
    Answer<bool> spend_recovery_code(UserId user, std::string hash) override;
    Answer<void> remove_second_factor(Author author, UserId user) override;

  private:
    Answer<identity::PasswordAttempt> begin(std::optional<std::string> name,
                                            std::optional<std::int64_t> user, std::string address);
    // Across teams; the rows of the statement.
    boost::asio::awaitable<Result<Rows>> run(Statement statement);

    Pool& pool_;
    std::shared_ptr<PrincipalCache> known_;
};

}  // namespace plimsoll::postgres
