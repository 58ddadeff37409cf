#pragma once

#include "server/base/fair_budget.hpp"
#include "server/http/messages/problem.hpp"
#include "server/http/messages/request.hpp"
#include "server/identity/identity.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::http {

// The holder of a share of a budget: the user, so that all tokens of a user have one share, and the
// team.
inline FairBudget::Holder holder_of(const identity::Principal& principal) {
    return {to_public(principal.user.id), to_public(principal.team.id)};
}

// A limit and what remains of it: `left` units, and more become available in `wait` seconds.
// `allowed` has the format of the field: q units (requests by default) in w seconds.
struct RatePolicy {
    std::string name;
    std::string allowed;
    long left = 0;
    long wait = 0;
};

// The fields of draft-ietf-httpapi-ratelimit-headers; none without a policy.
inline std::vector<Header> rate_limit_fields(const std::vector<RatePolicy>& policies) {
    std::string allowed;
    std::string left;
    for (const auto& policy : policies) {
        const std::string name = (allowed.empty() ? "\"" : ", \"") + policy.name + '"';
        allowed += name + ';' + policy.allowed;
        left += name + ";r=" + std::to_string(policy.left) + ";t=" + std::to_string(policy.wait);
    }
    if (policies.empty()) return {};
    return {{"RateLimit-Policy", std::move(allowed)}, {"RateLimit", std::move(left)}};
}

// Headers of a 429: the fields of the exceeded limit, and Retry-After.
inline std::vector<Header> rate_limited(const std::string& policy, const std::string& allowed,
                                        long wait) {
    auto headers = rate_limit_fields({{policy, allowed, 0, wait}});
    headers.push_back({"Retry-After", std::to_string(wait)});
    return headers;
}

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

    // For requests from now on. Where there was no limit, a minute's worth is left.
    void set(CallerQuotas quotas);

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
