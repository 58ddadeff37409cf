#pragma once

#include "server/base/fair_budget.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/problem.hpp"
#include "server/identity/password.hpp"
#include "server/identity/password_store.hpp"

#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http {

// Checks and hashes passwords, on a thread of its own that gives way to all others, so that a flood
// of attempts does not delay other requests. Few wait at a time; beyond them, and beyond the share
// of a network, the response is 503. For the I/O thread.
class PasswordDesk {
  public:
    PasswordDesk(identity::PasswordStore& store, identity::PasswordRules rules);
    ~PasswordDesk();
    PasswordDesk(const PasswordDesk&) = delete;
    PasswordDesk& operator=(const PasswordDesk&) = delete;

    // The attempt whose password was right. 401, after the same work and in the same words whether
    // or not there is such a user; 429 while attempts must wait.
    boost::asio::awaitable<Outcome<identity::PasswordAttempt>> check(std::string name,
                                                                     std::string password,
                                                                     std::string address);
    // The same for the present password of a user who is signed in.
    boost::asio::awaitable<Outcome<identity::PasswordAttempt>> check(UserId user,
                                                                     std::string password,
                                                                     std::string address);

    // The hash of a new password. 422 at `pointer` if the rules refuse it.
    boost::asio::awaitable<Outcome<std::string>> hash(std::string password, std::string pointer,
                                                      std::string address);

    std::size_t min_length() const { return rules_.min_length; }

  private:
    using Begun = boost::asio::awaitable<Result<identity::PasswordAttempt>>;

    Outcome<FairBudget::Reservation> take_place(const std::string& address);
    boost::asio::awaitable<Outcome<identity::PasswordAttempt>> check(Begun begun,
                                                                     std::string password,
                                                                     const std::string& address);

    identity::PasswordStore& store_;
    const identity::PasswordRules rules_;
    const std::string nobodys_;  // a hash that no password matches, in place of a missing one
    FairBudget places_{limits::kPasswordWork};
    boost::asio::thread_pool pool_{1};
};

}  // namespace plimsoll::http
