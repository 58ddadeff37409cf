#include "server/http/access/caller_limits.hpp"

#include "server/http/messages/limits.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::http {
namespace {

constexpr std::chrono::seconds kWindow{60};
constexpr double kWindowSeconds = kWindow.count();

Problem too_many(std::string detail, std::vector<Header> headers) {
    Problem problem(429, std::move(detail));
    problem.headers = std::move(headers);
    return problem;
}

RatePolicy policy_of(const char* name, int per_minute, double left) {
    const auto whole = std::floor(left);
    const auto until_next = std::ceil((whole + 1 - left) * kWindowSeconds / per_minute);
    return {name, "q=" + std::to_string(per_minute) + ";w=" + std::to_string(kWindow.count()),
            std::lround(whole), std::max(1L, std::lround(until_next))};
}

Problem too_fast(const std::string& who, const char* name, int per_minute, double left) {
    const auto policy = policy_of(name, per_minute, left);
    return too_many(
        who + " exceeds the limit of " + std::to_string(per_minute) + " requests per minute.",
        rate_limited(policy.name, policy.allowed, policy.wait));
}

}  // namespace

CallerLimits::CallerKey CallerLimits::key_of(const identity::Principal& principal) {
    if (principal.token) return {true, principal.token->value};
    return {false, principal.session ? principal.session->value : 0};
}

void CallerLimits::fill(Bucket& bucket, int per_minute, Clock::time_point now) {
    const std::chrono::duration<double> since = now - bucket.filled_at;
    bucket.left = std::clamp<double>(bucket.left + since.count() * per_minute / kWindowSeconds, 0,
                                     per_minute);
    bucket.filled_at = now;
}

void CallerLimits::set(CallerQuotas quotas) {
    const bool new_limit = quotas_.requests_per_minute == 0;
    const bool new_team_limit = quotas_.team_requests_per_minute == 0;
    for (auto& [id, team] : teams_) {
        if (new_team_limit) team.bucket.left = quotas.team_requests_per_minute;
        if (!new_limit) continue;
        for (auto& [user, callers] : team.users)
            for (auto& [key, caller] : callers) caller.bucket.left = quotas.requests_per_minute;
    }
    quotas_ = quotas;
}

Outcome<CallerLimits::Place> CallerLimits::admit(const identity::Principal& principal,
                                                 Clock::time_point now) {
    forget_idle(now);
    const auto per_minute = quotas_.requests_per_minute;
    const auto team_per_minute = quotas_.team_requests_per_minute;
    const auto at_once = quotas_.concurrent_requests;

    const auto [team_entry, new_team] = teams_.try_emplace(principal.team.id.value);
    auto& team = team_entry->second;
    if (new_team) team.bucket = {static_cast<double>(team_per_minute), now};
    fill(team.bucket, team_per_minute, now);
    if (team_per_minute > 0 && team.bucket.left < 1)
        return tl::unexpected(too_fast("This team", "team", team_per_minute, team.bucket.left));

    const auto key = key_of(principal);
    auto& callers = team.users[principal.user.id];
    auto known = callers.find(key);
    if (known == callers.end()) {
        if (callers.size() >= limits::kCallersPerUser) {
            const auto max = std::to_string(limits::kCallersPerUser);
            return tl::unexpected(
                too_many("This user has more than " + max + " active tokens and sessions.",
                         {{"Retry-After", std::to_string(kWindow.count())}}));
        }
        Caller caller{{static_cast<double>(per_minute), now}, std::make_shared<int>(0)};
        known = callers.emplace(key, std::move(caller)).first;
    }
    auto& caller = known->second;
    fill(caller.bucket, per_minute, now);
    if (per_minute > 0 && caller.bucket.left < 1) {
        return tl::unexpected(
            too_fast("This credential", "caller", per_minute, caller.bucket.left));
    }
    if (at_once > 0 && *caller.at_once >= at_once) {
        const auto max = std::to_string(at_once);
        return tl::unexpected(
            too_many("This credential has " + max + " requests in progress, the maximum.",
                     rate_limited("at-once", "q=" + max + ";qu=\"concurrent-requests\"", 1)));
    }
    team.bucket.left -= 1;
    caller.bucket.left -= 1;
    ++*caller.at_once;
    return Place(caller.at_once.get(), [count = caller.at_once](int* under_way) { --*under_way; });
}

std::vector<Header> CallerLimits::fields(const identity::Principal& principal) const {
    const auto& team = teams_.at(principal.team.id.value);
    const auto& caller = team.users.at(principal.user.id).at(key_of(principal));
    std::vector<RatePolicy> policies;
    if (const auto allowed = quotas_.requests_per_minute; allowed > 0)
        policies.push_back(policy_of("caller", allowed, caller.bucket.left));
    if (const auto allowed = quotas_.team_requests_per_minute; allowed > 0)
        policies.push_back(policy_of("team", allowed, team.bucket.left));
    return rate_limit_fields(policies);
}

// After a minute of silence a bucket is full, as a new one would be.
void CallerLimits::forget_idle(Clock::time_point now) {
    if (now < forget_at_) return;
    forget_at_ = now + kWindow;
    for (auto& [id, team] : teams_) {
        for (auto& [user, callers] : team.users) {
            std::erase_if(callers, [now](const auto& entry) {
                const auto& caller = entry.second;
                return now - caller.bucket.filled_at >= kWindow && *caller.at_once == 0;
            });
        }
        std::erase_if(team.users, [](const auto& entry) { return entry.second.empty(); });
    }
    std::erase_if(teams_, [now](const auto& entry) {
        const auto& team = entry.second;
        return team.users.empty() && now - team.bucket.filled_at >= kWindow;
    });
}

}  // namespace plimsoll::http
