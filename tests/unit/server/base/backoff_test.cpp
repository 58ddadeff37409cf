#include "server/base/backoff.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToItsLongestAndStartsAgain) {
    Backoff backoff(100ms, 350ms, [] { return 0.0; });
    EXPECT_EQ(backoff.next(), 100ms);
    EXPECT_EQ(backoff.next(), 200ms);
    EXPECT_EQ(backoff.next(), 350ms);
    EXPECT_EQ(backoff.next(), 350ms);
    backoff.reset();
    EXPECT_EQ(backoff.next(), 100ms);
}

TEST(Backoff, IsExactWithoutRandom) {
    Backoff backoff(50ms, 1s);
    EXPECT_EQ(backoff.next(), 50ms);
    EXPECT_EQ(backoff.next(), 100ms);
}

TEST(Backoff, JitterRemovesUpToHalf) {
    Backoff backoff(100ms, 1s, [] { return 0.5; });
    EXPECT_EQ(backoff.next(), 75ms);
    EXPECT_EQ(backoff.next(), 150ms);
    const auto random = system_random();
    for (int i = 0; i < 100; ++i) {
        const double value = random();
        EXPECT_GE(value, 0);
        EXPECT_LT(value, 1);
    }
}

}  // namespace
}  // namespace plimsoll
