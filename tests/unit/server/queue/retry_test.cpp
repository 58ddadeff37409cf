#include "server/queue/retry.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::queue {
namespace {

// Without chance: the middle of the spread.
std::vector<double> pauses(Errc error) {
    std::vector<double> seconds;
    for (int attempt = 1;; ++attempt) {
        const auto pause = pause_before_retry(error, attempt, 0.5);
        if (!pause) return seconds;
        seconds.push_back(pause->count());
    }
}

TEST(RetryTest, EachClassOfErrorsHasItsBackoff) {
    EXPECT_EQ(pauses(Errc::exhausted), (std::vector<double>{2, 8, 32, 120, 120}));
    EXPECT_EQ(pauses(Errc::unavailable), (std::vector<double>{1, 4, 16, 64, 256, 300, 300}));
    EXPECT_EQ(pauses(Errc::timeout), (std::vector<double>{5, 20}));
    EXPECT_EQ(pauses(Errc::cancelled), (std::vector<double>{1, 4}));
}

TEST(RetryTest, DeterministicFailuresAreNotRetried) {
    for (const auto error :
         {Errc::invalid_input, Errc::not_found, Errc::too_large, Errc::corrupt, Errc::internal,
          Errc::conflict, Errc::unauthenticated, Errc::forbidden}) {
        EXPECT_TRUE(pauses(error).empty()) << to_string(error);
    }
}

TEST(RetryTest, JitterRangesFromHalfToOneAndAHalf) {
    EXPECT_EQ(pause_before_retry(Errc::exhausted, 2, 0)->count(), 4);
    EXPECT_EQ(pause_before_retry(Errc::exhausted, 2, 1)->count(), 12);
}

TEST(RetryTest, AttemptsCountFromOne) {
    EXPECT_EQ(pause_before_retry(Errc::timeout, 0, 0.5)->count(), 5);
    EXPECT_EQ(pause_before_retry(Errc::timeout, -5, 0.5)->count(), 5);
}

}  // namespace
}  // namespace plimsoll::queue
