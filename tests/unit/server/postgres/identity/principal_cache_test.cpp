#include "server/postgres/identity/principal_cache.hpp"

#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

using identity::Principal;
using identity::SecretKind;

constexpr auto kLifetime = PrincipalCache::kLifetime;
const PrincipalCache::Clock::time_point kStart(std::chrono::hours(1));
const Credential kToken{SecretKind::token, "hash"};

Principal ada() {
    Principal principal;
    principal.user.name = "ada";
    return principal;
}

TEST(PrincipalCache, ExpiresByTheTimeOfTheRequest) {
    PrincipalCache cache;
    EXPECT_FALSE(cache.find(kToken, kStart));
    cache.keep(kToken, ada(), cache.ask(kStart));
    const auto last = kStart + kLifetime - std::chrono::nanoseconds(1);
    EXPECT_EQ(cache.find(kToken, last).value().value().user.name, "ada");
    EXPECT_FALSE(cache.find(kToken, kStart + kLifetime));
    EXPECT_FALSE(cache.find({SecretKind::session, "hash"}, kStart));
}

TEST(PrincipalCache, RemembersUnknownCredentials) {
    PrincipalCache cache;
    cache.keep(kToken, fail(Errc::unauthenticated, "No."), cache.ask(kStart));
    EXPECT_EQ(cache.find(kToken, kStart).value().error().code, Errc::unauthenticated);
    cache.forget();
    EXPECT_FALSE(cache.find(kToken, kStart));
}

TEST(PrincipalCache, DoesNotRememberErrors) {
    PrincipalCache cache;
    cache.keep(kToken, fail(Errc::unavailable, "Busy."), cache.ask(kStart));
    EXPECT_FALSE(cache.find(kToken, kStart));
}

TEST(PrincipalCache, IgnoresResultsFromBeforeAChange) {
    PrincipalCache cache;
    const auto before = cache.ask(kStart);
    cache.forget();
    cache.keep(kToken, ada(), before);
    EXPECT_FALSE(cache.find(kToken, kStart));
}

TEST(PrincipalCache, EvictsTheOldestAtItsLimit) {
    PrincipalCache cache;
    const auto keep = [&](std::size_t number, PrincipalCache::Clock::time_point now) {
        const Credential credential{SecretKind::token, std::to_string(number)};
        cache.keep(credential, ada(), cache.ask(now));
        return cache.find(credential, now).has_value();
    };
    for (std::size_t i = 0; i < PrincipalCache::kMax; ++i) ASSERT_TRUE(keep(i, kStart));
    EXPECT_FALSE(keep(PrincipalCache::kMax, kStart));
    EXPECT_TRUE(keep(0, kStart + kLifetime));
    EXPECT_TRUE(keep(PrincipalCache::kMax, kStart + kLifetime));
}

}  // namespace
}  // namespace plimsoll::postgres
