#pragma once

#include "server/http/messages/problem.hpp"
#include "server/identity/identity.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <utility>

namespace plimsoll::http {

// How much one caller may ask of one server. 0: as much as it likes.
struct CallerQuotas {
    int requests_per_minute = 0;       // of one token or session
    int team_requests_per_minute = 0;  // of a team's callers together
    int concurrent_requests = 0;       // of one token or session; a stream is one while it lasts
};

// Counts requests as they begin: each caller and each team has a bucket that holds a minute's worth
// and fills steadily, so a burst after silence is welcome and a flood is not. It knows only callers
// with a valid credential, and limits::kCallersPerTeam of a team at most. For the I/O thread.
class CallerLimits {
  public:
    using Clock = std::chrono::steady_clock;

    explicit CallerLimits(CallerQuotas quotas) : quotas_(quotas) {}

    // A request under way: the place is free again when this goes. May outlive the limits.
    using Place = std::shared_ptr<void>;

    // 429 with Retry-After and the RateLimit fields, or the place that the request takes.
    Outcome<Place> admit(const identity::Principal& principal, Clock::time_point now);

  private:
    struct Bucket {
        double left = 0;  // requests
        Clock::time_point filled_at;
    };
    struct Caller {
        Bucket bucket;
        std::shared_ptr<int> at_once;  // requests under way
    };
    using CallerKey = std::pair<bool, std::int64_t>;  // whether it is a token; its number
    struct Team {
        Bucket bucket;
        std::map<CallerKey, Caller> callers;
    };

    static CallerKey key_of(const identity::Principal& principal);
    static void fill(Bucket& bucket, int per_minute, Clock::time_point now);
    void forget_idle(Clock::time_point now);

    CallerQuotas quotas_;
    std::map<std::int64_t, Team> teams_;
    Clock::time_point forget_at_;
};

}  // namespace plimsoll::http
