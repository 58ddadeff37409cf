#include "server/worker/loop/liveness.hpp"

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart = TimePoint{} + 1h;

TEST(LivenessDetector, LastsForItsPatienceAfterTheLastChange) {
    LivenessDetector detector(5s);
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 7}, kStart));
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 7}, kStart + 4999ms));
    EXPECT_FALSE(detector.is_alive({.busy = true, .count = 7}, kStart + 5s));
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 8}, kStart + 6s));
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 8}, kStart + 10s));
    EXPECT_FALSE(detector.is_alive({.busy = true, .count = 8}, kStart + 11s));
}

TEST(LivenessDetector, AnIdleThreadNeedsNoProgress) {
    LivenessDetector detector(5s);
    EXPECT_TRUE(detector.is_alive({.busy = false, .count = 1}, kStart));
    EXPECT_TRUE(detector.is_alive({.busy = false, .count = 1}, kStart + 1h));
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 1}, kStart + 1h + 1s));
    EXPECT_FALSE(detector.is_alive({.busy = true, .count = 1}, kStart + 1h + 5s));
}

}  // namespace
}  // namespace plimsoll::worker
