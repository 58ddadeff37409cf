#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Stores the hashes of passwords, the one-time links that set them, the counts of attempts, and
// second factors. Every change adds an audit row in its transaction. Implemented by
// server/postgres.
namespace plimsoll::identity {

// A password attempt, counted before it is checked.
struct PasswordAttempt {
    std::chrono::seconds wait{};  // > 0: refused for this long; nothing else is known
    std::optional<UserId> user;
    std::optional<TeamId> team;  // that the user was in last; none: in no team
    std::string hash;            // what the password must match; empty: no password can
    std::string name;            // with `source`: the count, for forget_attempts()
    std::string source;
};

// Needed besides the password; see totp.hpp.
struct SecondFactor {
    std::string secret;
    std::optional<Timestamp> confirmed_at;  // nullopt: offered, but not needed yet
    std::int64_t last_step = 0;             // of the last code that was used
    int codes_left = 0;                     // recovery codes
    Timestamp now;                          // the store's time, which codes are compared with
};

// Attempts that need not wait. After them, each waits twice as long as the one before: from one
// second to kLongestPasswordWait.
inline constexpr int kFreePasswordAttempts = 5;
inline constexpr std::chrono::seconds kLongestPasswordWait{300};

class PasswordStore {
  public:
    virtual ~PasswordStore() = default;

    template <class T>
    using Answer = awaitable<Result<T>>;

    // `name`: an email address, in any case, or the name of a user. `address`: of the client; may
    // be empty. Unknown names count, too.
    virtual Answer<PasswordAttempt> begin_attempt(std::string name, std::string address) = 0;
    // For the current password of a user who is signed in.
    virtual Answer<PasswordAttempt> begin_attempt(UserId user, std::string address) = 0;
    // After a correct password.
    virtual Answer<void> forget_attempts(PasswordAttempt attempt) = 0;

    // Stores a hash of the same password with other costs; does nothing if `present` is no longer
    // the stored hash.
    virtual Answer<void> renew_hash(UserId user, std::string present, std::string hash) = 0;

    // When the user's password was set; nullopt: there is none.
    virtual Answer<std::optional<Timestamp>> changed_at(UserId user) = 0;
    // `present`: the hash that the current password matched; empty: there is none yet, which only a
    // session that no token opened may change. Ends the user's other sessions and open links.
    // Errc::conflict: the password has changed meanwhile, or a first one may not be set.
    virtual Answer<void> change(Author author, std::string hash, std::string present,
                                std::optional<SessionId> session) = 0;
    // Errc::not_found: there is no such user, or it is a service account.
    virtual Answer<void> create_link(Author author, UserId user, std::string link_hash,
                                     Timestamp expires_at) = 0;
    // Consumes the link. Ends all the user's sessions and open links, and if asked, the user's
    // tokens with all that was made with them. Errc::unauthenticated: it is unknown, used or
    // expired, or its user is disabled.
    virtual Answer<void> spend_link(std::string link_hash, std::string hash, bool end_tokens) = 0;

    // The user's second factor, or what was offered as one; nullopt: neither.
    virtual Answer<std::optional<SecondFactor>> second_factor(UserId user) = 0;
    // Keeps the secret until it is confirmed. Errc::conflict: there is a second factor, or no
    // password.
    virtual Answer<void> offer_second_factor(UserId user, std::string secret) = 0;
    // From now on sign-ins need a code after `step`, or a recovery code. Errc::conflict: `secret`
    // is not what is offered.
    virtual Answer<void> confirm_second_factor(Author author, std::string secret, std::int64_t step,
                                               std::vector<std::string> recovery_hashes) = 0;
    // False: a code of this step or a later one was used.
    virtual Answer<bool> spend_step(UserId user, std::int64_t step) = 0;
    // False: the user has no such code, or used it.
    virtual Answer<bool> spend_recovery_code(UserId user, std::string hash) = 0;
    // Also removes an offered one. Errc::not_found: there is no second factor.
    virtual Answer<void> remove_second_factor(Author author, UserId user) = 0;
};

}  // namespace plimsoll::identity
