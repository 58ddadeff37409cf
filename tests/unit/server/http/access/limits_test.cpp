#include "server/http/messages/limits.hpp"

#include "server/http/access/caller_limits.hpp"
#include "server/http/access/credential_guard.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http::credential_guard_test {
namespace {

const CredentialGuard::Clock::time_point kStart(std::chrono::hours(1));
constexpr std::chrono::seconds kSecond(1);

std::string header(const Problem& problem, std::string_view name) {
    return std::string(find_header(problem.headers, name).value_or("none"));
}

void fail_often(CredentialGuard& guard, CredentialGuard::Clock::time_point now) {
    for (int i = 0; i < limits::kFailedCredentials; ++i) {
        ASSERT_TRUE(guard.admit("192.0.2.1", "guess", now));
        guard.record_unknown("192.0.2.1", "guess", now);
    }
}

TEST(CredentialGuard, LimitsAnAddressThatSendsUnknownCredentials) {
    CredentialGuard guard;
    fail_often(guard, kStart);
    const auto refused = guard.admit("192.0.2.1", "another", kStart + kSecond);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 429);
    EXPECT_EQ(header(refused.error(), "Retry-After"), "59");
    EXPECT_EQ(header(refused.error(), "RateLimit-Policy"), R"("failed-credentials";q=60;w=60)");
    EXPECT_EQ(header(refused.error(), "RateLimit"), R"("failed-credentials";r=0;t=59)");
    EXPECT_TRUE(guard.admit("192.0.2.2", "another", kStart + kSecond));
    EXPECT_TRUE(guard.admit("192.0.2.1", "another", kStart + limits::kFailureWindow));
}

TEST(CredentialGuard, DoesNotAffectOtherCallersOfAnAddress) {
    CredentialGuard guard;
    guard.record_valid("good", kStart);
    fail_often(guard, kStart);
    EXPECT_TRUE(guard.admit("192.0.2.1", "good", kStart));
    guard.record_unknown("192.0.2.1", "good", kStart);  // revoked
    EXPECT_FALSE(guard.admit("192.0.2.1", "good", kStart));
}

TEST(CredentialGuard, ForgetsCredentialsUnusedForLong) {
    CredentialGuard guard;
    guard.record_valid("old", kStart);
    const auto later = kStart + limits::kValidCredentialMemory;
    guard.record_valid("new", later);
    fail_often(guard, later);
    EXPECT_FALSE(guard.admit("192.0.2.1", "old", later));
    EXPECT_TRUE(guard.admit("192.0.2.1", "new", later));
}

}  // namespace

}  // namespace plimsoll::http::credential_guard_test

namespace plimsoll::http {
namespace {

using namespace std::chrono_literals;

identity::Principal caller(std::int64_t token, std::int64_t team = 1) {
    identity::Principal principal;
    principal.team.id = {team};
    principal.token = TokenId{token};
    return principal;
}

std::string header(const Problem& problem, std::string_view name) {
    return std::string(find_header(problem.headers, name).value_or(""));
}

const CallerLimits::Clock::time_point kStart{};

TEST(CallerLimits, ABurstOfAMinuteIsAllowedAndThenTheRate) {
    CallerLimits limits({.requests_per_minute = 60});
    for (int i = 0; i < 60; ++i) ASSERT_TRUE(limits.admit(caller(1), kStart)) << i;
    const auto refused = limits.admit(caller(1), kStart);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 429);
    EXPECT_EQ(header(refused.error(), "Retry-After"), "1");
    EXPECT_EQ(header(refused.error(), "RateLimit-Policy"), "\"caller\";q=60;w=60");
    EXPECT_EQ(header(refused.error(), "RateLimit"), "\"caller\";r=0;t=1");
    EXPECT_TRUE(limits.admit(caller(1), kStart + 1s));
    EXPECT_FALSE(limits.admit(caller(1), kStart + 1s));
    EXPECT_TRUE(limits.admit(caller(1), kStart + 10min));
}

TEST(CallerLimits, AnAdmittedCallerGetsWhatRemains) {
    CallerLimits limits({.requests_per_minute = 6, .team_requests_per_minute = 120});
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(limits.admit(caller(1), kStart));
    ASSERT_TRUE(limits.admit(caller(2), kStart));
    const auto fields = limits.fields(caller(1));
    EXPECT_EQ(find_header(fields, "RateLimit-Policy"), "\"caller\";q=6;w=60, \"team\";q=120;w=60");
    EXPECT_EQ(find_header(fields, "RateLimit"), "\"caller\";r=4;t=10, \"team\";r=117;t=1");
}

TEST(CallerLimits, RetryAfterIsWhenTheNextOnePasses) {
    CallerLimits limits({.requests_per_minute = 2});
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(limits.admit(caller(1), kStart));
    EXPECT_EQ(header(limits.admit(caller(1), kStart).error(), "Retry-After"), "30");
    EXPECT_FALSE(limits.admit(caller(1), kStart + 29s));
    EXPECT_TRUE(limits.admit(caller(1), kStart + 30s));
}

TEST(CallerLimits, CallersDoNotShareALimit) {
    CallerLimits limits({.requests_per_minute = 1});
    ASSERT_TRUE(limits.admit(caller(1), kStart));
    ASSERT_FALSE(limits.admit(caller(1), kStart));
    EXPECT_TRUE(limits.admit(caller(2), kStart));
    auto session = caller(1);
    session.token.reset();
    session.session = SessionId{1};
    EXPECT_TRUE(limits.admit(session, kStart));
}

TEST(CallerLimits, ATeamsCallersShareItsLimit) {
    CallerLimits limits({.team_requests_per_minute = 2});
    ASSERT_TRUE(limits.admit(caller(1), kStart));
    ASSERT_TRUE(limits.admit(caller(2), kStart));
    const auto refused = limits.admit(caller(3), kStart);
    ASSERT_FALSE(refused);
    EXPECT_EQ(header(refused.error(), "RateLimit-Policy"), "\"team\";q=2;w=60");
    EXPECT_TRUE(limits.admit(caller(4, 2), kStart));
}

TEST(CallerLimits, ASlotIsFreedWhenItsRequestEnds) {
    CallerLimits limits({.concurrent_requests = 2});
    auto first = limits.admit(caller(1), kStart);
    const auto second = limits.admit(caller(1), kStart);
    ASSERT_TRUE(first && second);
    const auto third = limits.admit(caller(1), kStart + 10min);
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().status, 429);
    EXPECT_EQ(header(third.error(), "Retry-After"), "1");
    EXPECT_EQ(header(third.error(), "RateLimit-Policy"),
              "\"at-once\";q=2;qu=\"concurrent-requests\"");
    EXPECT_TRUE(limits.admit(caller(2), kStart));
    *first = {};
    EXPECT_TRUE(limits.admit(caller(1), kStart));
}

TEST(CallerLimits, RemembersALimitedNumberOfCallersOfAUser) {
    CallerLimits limits({.requests_per_minute = 1});
    const auto most = static_cast<std::int64_t>(limits::kCallersPerUser);
    for (std::int64_t i = 0; i < most; ++i) ASSERT_TRUE(limits.admit(caller(i), kStart));
    const auto refused = limits.admit(caller(most), kStart);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 429);
    EXPECT_EQ(header(refused.error(), "Retry-After"), "60");
    EXPECT_FALSE(limits.admit(caller(0), kStart)) << "its bucket is not forgotten";
    EXPECT_TRUE(limits.admit(caller(1, 2), kStart)) << "another team's";
    EXPECT_TRUE(limits.admit(caller(most), kStart + 1min));
}

TEST(CallerLimits, ZeroIsNoLimit) {
    CallerLimits limits({});
    std::vector<CallerLimits::Place> places;
    for (int i = 0; i < 1000; ++i) {
        auto place = limits.admit(caller(1), kStart);
        ASSERT_TRUE(place);
        places.push_back(std::move(*place));
    }
    EXPECT_TRUE(limits.fields(caller(1)).empty());
}

}  // namespace

}  // namespace plimsoll::http
