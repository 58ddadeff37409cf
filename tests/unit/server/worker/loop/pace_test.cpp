#include "server/worker/loop/pace.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

Batch of_tasks(int count, double seconds) {
    Batch batch;
    batch.reports.resize(static_cast<std::size_t>(count));
    for (auto& report : batch.reports) report.device_seconds = seconds;
    return batch;
}

// All done, each in `taken` seconds for an estimate of `estimated`.
Batch of_estimated_tasks(int count, double estimated, double taken) {
    auto batch = of_tasks(count, taken);
    for (auto& report : batch.reports) {
        report.outcome = queue::TaskReport::Outcome::done;
        batch.slots.push_back(std::make_unique<TaskSlot>());
        batch.slots.back()->task.estimated_seconds = estimated;
    }
    return batch;
}

Pace pace() { return Pace({.seconds = 0.25, .fewest_tasks = 64, .max_tasks = 1024}); }

TEST(Pace, BeginsWithFewTasks) { EXPECT_EQ(pace().tasks(), 64); }

TEST(Pace, ClaimsAsManyTasksAsFitIntoAClaim) {
    auto fast = pace();
    fast.learn(of_tasks(64, 0.25 / 256));
    EXPECT_EQ(fast.tasks(), 256);
}

TEST(Pace, NeverClaimsMoreThanTheLimit) {
    auto fastest = pace();
    fastest.learn(of_tasks(64, 0));
    EXPECT_EQ(fastest.tasks(), 1024);
}

TEST(Pace, FallsBackAtOnceWhenTasksTakeLonger) {
    auto slowed = pace();
    slowed.learn(of_tasks(64, 1e-6));
    slowed.learn(of_tasks(1, 0.1));
    EXPECT_EQ(slowed.tasks(), 64);
}

TEST(Pace, RecoversAfterASlowTask) {
    auto recovering = pace();
    recovering.learn(of_tasks(1, 0.001));
    for (int i = 0; i < 10; ++i) recovering.learn(of_tasks(64, 0));
    EXPECT_EQ(recovering.tasks(), 1024);
}

TEST(Pace, IgnoresABatchThatRanNothing) {
    auto unchanged = pace();
    unchanged.learn(of_tasks(0, 0));
    EXPECT_EQ(unchanged.tasks(), 64);
}

TEST(Pace, ClaimsByEstimateUntilItKnowsTheDevice) { EXPECT_DOUBLE_EQ(pace().work(), 0.25); }

TEST(Pace, ClaimsAsMuchAsTheDeviceDoesInTheTime) {
    auto fast = pace();
    for (int i = 0; i < 20; ++i) fast.learn(of_estimated_tasks(2, 0.2, 0.2 / 50));
    EXPECT_NEAR(fast.work(), 0.25 * 50, 0.01);
}

TEST(Pace, ClaimsByEstimateAtOnceWhenTasksTakeAsLongAgain) {
    auto slowed = pace();
    for (int i = 0; i < 20; ++i) slowed.learn(of_estimated_tasks(2, 0.2, 0.004));
    slowed.learn(of_estimated_tasks(2, 0.2, 0.2));
    EXPECT_DOUBLE_EQ(slowed.work(), 0.25);
}

TEST(Pace, ASlowDeviceClaimsNoLessThanEstimated) {
    auto slow = pace();
    slow.learn(of_estimated_tasks(1, 0.001, 2));
    EXPECT_DOUBLE_EQ(slow.work(), 0.25);
}

TEST(Pace, LearnsNothingFromTasksThatFailedOrStopped) {
    auto unchanged = pace();
    auto failed = of_estimated_tasks(2, 0.2, 0);
    failed.reports.back().outcome = queue::TaskReport::Outcome::failed;
    unchanged.learn(failed);
    auto stopped = of_estimated_tasks(2, 0.2, 0.001);
    stopped.reports.pop_back();
    unchanged.learn(stopped);
    EXPECT_DOUBLE_EQ(unchanged.work(), 0.25);
}

// Tasks are cut to 0.2 s: two of them fill a claim of 0.25 s, and the next one must come before
// they end.
TEST(Pace, ClaimsAheadOfAClaimFilledByItsLastTask) {
    EXPECT_TRUE(pace().claims_ahead_of(0.4));
    EXPECT_FALSE(pace().claims_ahead_of(0.7));
    auto slow = pace();
    slow.learn(of_estimated_tasks(2, 0.2, 0.8));
    EXPECT_FALSE(slow.claims_ahead_of(0.4));
    EXPECT_TRUE(slow.claims_ahead_of(0.15));
    auto fast = pace();
    for (int i = 0; i < 20; ++i) fast.learn(of_estimated_tasks(2, 0.2, 0.02));
    EXPECT_TRUE(fast.claims_ahead_of(4));
}

}  // namespace
}  // namespace plimsoll::worker
