#pragma once

#include "server/http/access/failure_limit.hpp"
#include "server/http/messages/problem.hpp"

#include <chrono>
#include <map>
#include <string>

namespace plimsoll::http {

// Limits look-ups of unknown credentials per client address. Credentials that were valid recently
// are exempt, so that other callers behind the same address are not affected. For the I/O thread.
class CredentialGuard {
  public:
    using Clock = std::chrono::steady_clock;

    // 429 with Retry-After and the RateLimit fields. `credential` is its hash.
    Outcome<void> admit(const std::string& address, const std::string& credential,
                        Clock::time_point now) const;
    void record_valid(const std::string& credential, Clock::time_point now);
    void record_unknown(const std::string& address, const std::string& credential,
                        Clock::time_point now);

  private:
    FailureLimit failures_{limits::kFailedCredentials, limits::kFailureWindow,
                           "failed-credentials"};
    std::map<std::string, Clock::time_point> valid_;  // when a credential was last used
    Clock::time_point forget_at_;
};

}  // namespace plimsoll::http
