#pragma once

#include "server/http/access/failure_limit.hpp"
#include "server/http/messages/problem.hpp"

#include <chrono>
#include <map>
#include <string>

namespace plimsoll::http {

// Keeps addresses that send credentials which are nobody's from having all of them looked up. Their
// neighbours behind the same address must not suffer: what was good a while ago is let through. For
// the I/O thread.
class CredentialGuard {
  public:
    using Clock = std::chrono::steady_clock;

    // 429 with Retry-After and the RateLimit fields. `credential` is its hash.
    Outcome<void> admit(const std::string& address, const std::string& credential,
                        Clock::time_point now) const;
    void was_good(const std::string& credential, Clock::time_point now);
    void was_nobodys(const std::string& address, const std::string& credential,
                     Clock::time_point now);

  private:
    FailureLimit failures_{limits::kFailedCredentials, limits::kFailureWindow,
                           "failed-credentials"};
    std::map<std::string, Clock::time_point> good_;  // when a credential was last used
    Clock::time_point forget_at_;
};

}  // namespace plimsoll::http
