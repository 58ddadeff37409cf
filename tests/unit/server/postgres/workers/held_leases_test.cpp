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

queue::TaskReport report_of(int seq) {
    queue::TaskReport report;
    report.job = JobId{7};
    report.seq = seq;
    return report;
}

TEST(HeldLeasesTest, ALeaseIsRemovedWithItsLastTask) {
    HeldLeases held;
    held.add(claim_of(5, 2));
    held.add(claim_of(6, 1));
    held.settled(5, {report_of(0)});
    EXPECT_EQ(held.fences(), (std::vector<std::int64_t>{5, 6}));
    ASSERT_EQ(held.tasks(5).size(), 1u);
    EXPECT_EQ(held.tasks(5)[0].seq, 1);
    held.settled(5, {report_of(1)});
    EXPECT_EQ(held.fences(), std::vector<std::int64_t>{6});
    EXPECT_TRUE(held.tasks(5).empty());
}

TEST(HeldLeasesTest, UnknownLeasesAreIgnored) {
    HeldLeases held;
    held.settled(1, {report_of(0)});
    EXPECT_TRUE(held.fences().empty());
    EXPECT_TRUE(held.tasks(1).empty());
}

}  // namespace
}  // namespace plimsoll::postgres
