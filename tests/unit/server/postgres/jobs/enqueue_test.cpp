#include "server/postgres/jobs/enqueue.hpp"

#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

TEST(MemoryBucketTest, IsTheSmallestPowerOfTwoThatHoldsIt) {
    EXPECT_EQ(memory_bucket(0), 0);
    EXPECT_EQ(memory_bucket(1), 0);
    EXPECT_EQ(memory_bucket(2), 1);
    EXPECT_EQ(memory_bucket(3), 2);
    EXPECT_EQ(memory_bucket(1024), 10);
    EXPECT_EQ(memory_bucket(1025), 11);
    EXPECT_EQ(memory_bucket(80 * 1024), 17);
}

}  // namespace
}  // namespace plimsoll::postgres
