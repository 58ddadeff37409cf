#pragma once

#include "server/http/messages/problem.hpp"
#include "server/identity/identity.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <utility>

namespace plimsoll::http {

// Request limits on one server. 0: unlimited.
struct CallerQuotas {
    int requests_per_minute = 0;       // per token or session
    int team_requests_per_minute = 0;  // per team, all callers together
    int concurrent_requests = 0;       // per token or session; an open stream counts as one
};

// Limits requests as they begin: each caller and each team has a token bucket that holds one
// minute's worth, so a burst after a quiet period is allowed. Tracks only callers with a valid
// credential, at most limits::kCallersPerUser per user. For the I/O thread.
class CallerLimits {
  public:
    using Clock = std::chrono::steady_clock;

    explicit CallerLimits(CallerQuotas quotas) : quotas_(quotas) {}

    // A running request's place, freed on destruction. May outlive the limits.
    using Place = std::shared_ptr<void>;

    // The request's place, or 429 with Retry-After and the RateLimit fields.
    Outcome<Place> admit(const identity::Principal& principal, Clock::time_point now);
    // The RateLimit fields of the response to a request that was just admitted.
    std::vector<Header> fields(const identity::Principal& principal) const;

  private:
    struct Bucket {
        double left = 0;  // requests
        Clock::time_point filled_at;
    };
    struct Caller {
        Bucket bucket;
        std::shared_ptr<int> at_once;  // requests in progress
    };
    using CallerKey = std::pair<bool, std::int64_t>;  // whether it is a token; its number
    using Callers = std::map<CallerKey, Caller>;
    struct Team {
        Bucket bucket;
        std::map<UserId, Callers> users;
    };

    static CallerKey key_of(const identity::Principal& principal);
    static void fill(Bucket& bucket, int per_minute, Clock::time_point now);
    void forget_idle(Clock::time_point now);

    CallerQuotas quotas_;
    std::map<std::int64_t, Team> teams_;
    Clock::time_point forget_at_;
};

}  // namespace plimsoll::http
