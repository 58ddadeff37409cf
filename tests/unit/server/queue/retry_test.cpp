#include "server/queue/retry.hpp"

#include <gtest/gtest.h>

namespace plimsoll::queue {
namespace {

TEST(RetryDelayTest, GrowsFourfoldUpToAMinute) {
    EXPECT_EQ(retry_delay(1).count(), 1);
    EXPECT_EQ(retry_delay(2).count(), 4);
    EXPECT_EQ(retry_delay(3).count(), 16);
    EXPECT_EQ(retry_delay(4).count(), 60);
    EXPECT_EQ(retry_delay(1000).count(), 60);
}

TEST(RetryDelayTest, NeverIsLessThanTheFirst) {
    EXPECT_EQ(retry_delay(0).count(), 1);
    EXPECT_EQ(retry_delay(-5).count(), 1);
}

}  // namespace
}  // namespace plimsoll::queue
