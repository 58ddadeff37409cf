#pragma once

#include "server/identity/password_store.hpp"
#include "tests/fakes/fake_identity.hpp"

#include <map>
#include <set>
#include <utility>

namespace plimsoll::fakes {

// Passwords in memory, of the people in a FakeIdentity. It keeps no audit rows, and its clock
// stands still, so that a slow machine does not end what must wait.
class FakePasswords final : public identity::PasswordStore {
  public:
    explicit FakePasswords(FakeIdentity& identity) : identity_(identity) {}

    Answer<identity::PasswordAttempt> begin_attempt(std::string name, std::string address) override;
    Answer<identity::PasswordAttempt> begin_attempt(UserId user, std::string address) override;
    Answer<void> forget_attempts(identity::PasswordAttempt attempt) override;
    Answer<void> renew_hash(UserId user, std::string present, std::string hash) override;
    Answer<std::optional<Timestamp>> changed_at(UserId user) override;
    Answer<void> change(Author author, std::string hash, std::string present,
                        std::optional<SessionId> session) override;
    Answer<void> create_link(Author author, UserId user, std::string link_hash,
                             Timestamp expires_at) override;
    Answer<void> spend_link(std::string link_hash, std::string hash, bool end_tokens) override;

    Answer<std::optional<identity::SecondFactor>> second_factor(UserId user) override;
    Answer<void> offer_second_factor(UserId user, std::string secret) override;
    Answer<void> confirm_second_factor(Author author, std::string secret, std::int64_t step,
                                       std::vector<std::string> recovery_hashes) override;
    Answer<bool> spend_step(UserId user, std::int64_t step) override;
    Answer<bool> spend_recovery_code(UserId user, std::string hash) override;
    Answer<void> remove_second_factor(Author author, UserId user) override;

    std::chrono::seconds age{};  // how far its clock has gone
    Timestamp now() const { return begin_ + age; }

  private:
    struct Count {
        int attempts = 0;
        Timestamp last_at;
    };
    struct Password {
        std::string hash;
        Timestamp changed_at;
    };
    struct Link {
        UserId user;
        Timestamp expires_at;
    };

    identity::PasswordAttempt begin(std::optional<UserId> user, std::string name,
                                    const std::string& address);
    void replace(UserId user, std::string hash, std::optional<SessionId> session);

    FakeIdentity& identity_;
    const Timestamp begin_ = SystemClock().now();
    std::map<UserId, Password> passwords_;
    std::map<std::string, Link> links_;  // by hash
    std::map<UserId, identity::SecondFactor> factors_;
    std::map<UserId, std::set<std::string>> recovery_;  // hashes of unused codes
    std::map<std::pair<std::string, std::string>, Count> counts_;
};

}  // namespace plimsoll::fakes
