#include "server/postgres/workers/held_leases.hpp"

#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

queue::Claim claim_of(std::int64_t fence, int tasks) {
    queue::Claim claim;
    claim.fence = fence;
    for (int seq = 0; seq < tasks; ++seq) {
        auto& task = claim.tasks.emplace_back();
        task.job = JobId{7};
        task.seq = seq;
    }
    return claim;
}

TEST(HeldLeasesTest, ALeaseEndsWithItsLastTask) {
    HeldLeases held;
    held.add(claim_of(5, 2));
    held.add(claim_of(6, 1));
    held.settled(5, {{JobId{7}, 0}});
    EXPECT_EQ(held.fences(), (std::vector<std::int64_t>{5, 6}));
    held.settled(5, {{JobId{7}, 1}});
    EXPECT_EQ(held.fences(), std::vector<std::int64_t>{6});
}

TEST(HeldLeasesTest, UnknownLeasesAreIgnored) {
    HeldLeases held;
    held.settled(1, {{JobId{7}, 0}});
    EXPECT_TRUE(held.fences().empty());
}

}  // namespace
}  // namespace plimsoll::postgres
