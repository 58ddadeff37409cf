#include "server/http/messages/limits.hpp"

#include "server/http/access/caller_limits.hpp"
#include "server/http/access/failure_limit.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http::failure_limit_test {
namespace {

const FailureLimit::Clock::time_point kStart(std::chrono::hours(1));
constexpr std::chrono::seconds kSecond(1);

std::string header(const Problem& problem, std::string_view name) {
    return std::string(find_header(problem.headers, name).value_or("none"));
}

Problem guess(FailureLimit& limit, const std::string& address, FailureLimit::Clock::time_point at) {
    return limit.refusal(address, at, {401, "Send a valid token or sign in."});
}

TEST(FailureLimit, RefusesGuessesForAWhileOnceThereAreTooMany) {
    FailureLimit limit(3, limits::kFailureWindow, "failed-credentials");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(guess(limit, "192.0.2.1", kStart).status, 401);
    const auto refused = guess(limit, "192.0.2.1", kStart + kSecond);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(header(refused, "Retry-After"), "59");
    EXPECT_EQ(header(refused, "RateLimit-Policy"), R"("failed-credentials";q=3;w=60)");
    EXPECT_EQ(header(refused, "RateLimit"), R"("failed-credentials";r=0;t=59)");
    EXPECT_FALSE(limit.admit("192.0.2.1", kStart + kSecond));
    EXPECT_EQ(guess(limit, "192.0.2.2", kStart + kSecond).status, 401);
    EXPECT_EQ(guess(limit, "192.0.2.1", kStart + limits::kFailureWindow).status, 401);
}

}  // namespace

}  // namespace plimsoll::http::failure_limit_test

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
    const auto max = static_cast<std::int64_t>(limits::kCallersPerUser);
    for (std::int64_t i = 0; i < max; ++i) ASSERT_TRUE(limits.admit(caller(i), kStart));
    const auto refused = limits.admit(caller(max), kStart);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 429);
    EXPECT_EQ(header(refused.error(), "Retry-After"), "60");
    EXPECT_FALSE(limits.admit(caller(0), kStart)) << "its bucket is not forgotten";
    EXPECT_TRUE(limits.admit(caller(1, 2), kStart)) << "another team's";
    EXPECT_TRUE(limits.admit(caller(max), kStart + 1min));
}

TEST(CallerLimits, ALimitThatIsNewLeavesAMinutesWorth) {
    CallerLimits limits({});
    ASSERT_TRUE(limits.admit(caller(1), kStart));
    limits.set({.requests_per_minute = 2, .team_requests_per_minute = 3});
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(limits.admit(caller(1), kStart)) << i;
    EXPECT_FALSE(limits.admit(caller(1), kStart));
    EXPECT_TRUE(limits.admit(caller(2), kStart));
    EXPECT_FALSE(limits.admit(caller(3), kStart)) << "the team";
    limits.set({.requests_per_minute = 2});
    EXPECT_FALSE(limits.admit(caller(1), kStart)) << "what is used up stays so";
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
