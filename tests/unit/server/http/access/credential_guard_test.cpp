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
