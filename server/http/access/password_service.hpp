#pragma once

#include "server/base/awaitable.hpp"
#include "server/base/fair_budget.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/problem.hpp"
#include "server/identity/hasher/hasher.hpp"
#include "server/identity/password.hpp"
#include "server/identity/password_store.hpp"

#include <string>
#include <unordered_set>

#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http {

// The problem of a sign-in whose password is right and whose code is missing.
inline constexpr std::string_view kCodeNeeded = "second-factor-needed";

// Checks and hashes passwords, one at a time, in a program of its own. Few may wait at a time;
// beyond that number, or the share of a network, the response is 503; places are kept for networks
// where somebody has signed in, so that a flood from many others does not keep them out. What it
// costs other requests is measured by tests/bench/http/sign_in_flood.py. For the I/O thread.
class PasswordService {
  public:
    // `hasher`: the path of the program plimsoll-hasher.
    PasswordService(identity::PasswordStore& store, identity::PasswordRules rules,
                    std::string hasher);
    ~PasswordService();
    PasswordService(const PasswordService&) = delete;
    PasswordService& operator=(const PasswordService&) = delete;

    // The attempt, if its password is right and, for a user with a second factor, its code as well.
    // 401, after the same work and in the same words whether or not there is such a user, and with
    // the type kCodeNeeded where only the code is missing; 429 while attempts must wait. A wrong
    // code counts like a wrong password. `code`: of an authenticator or a recovery code; may be
    // empty.
    awaitable<Outcome<identity::PasswordAttempt>> check(std::string name, std::string password,
                                                        std::string code, std::string address);
    // The current password of a user who is signed in; it needs no code.
    awaitable<Outcome<identity::PasswordAttempt>> check(UserId user, std::string password,
                                                        std::string address);

    // A code of a user who is signed in. 404: there is no second factor; 401: it is wrong.
    awaitable<Outcome<void>> check_code(UserId user, std::string code, std::string address);

    // The hash of a new password. 422 at `pointer` if the rules refuse it.
    awaitable<Outcome<std::string>> hash(std::string password, std::string pointer,
                                         std::string address);

    std::size_t min_length() const { return rules_.min_length; }

  private:
    using Begun = awaitable<Result<identity::PasswordAttempt>>;

    Outcome<FairBudget::Reservation> take_place(const std::string& address);
    // The attempt, if its password is right; it still counts.
    awaitable<Outcome<identity::PasswordAttempt>> check(Begun begun, std::string password,
                                                        const std::string& address);
    // Consumes a valid code.
    awaitable<Outcome<void>> spend(UserId user, const identity::SecondFactor& factor,
                                   const std::string& code);
    awaitable<Outcome<identity::PasswordAttempt>> forget(identity::PasswordAttempt attempt);

    identity::PasswordStore& store_;
    const identity::PasswordRules rules_;
    const std::string unmatched_hash_ = identity::unmatched_hash();  // in place of a missing one
    FairBudget places_{limits::kPasswordWork};
    FairBudget kept_places_{limits::kKnownPasswordWork};
    std::unordered_set<std::string> known_;  // networks where somebody has signed in
    identity::Hasher hasher_;                // for `thread_` alone
    boost::asio::thread_pool thread_{1};     // waits for the hasher
};

}  // namespace plimsoll::http
