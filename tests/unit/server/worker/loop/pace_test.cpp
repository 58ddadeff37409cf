#include "server/worker/loop/pace.hpp"

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

Batch of_tasks(int count, double seconds) {
    Batch batch;
    batch.reports.resize(static_cast<std::size_t>(count));
    for (auto& report : batch.reports) report.device_seconds = seconds;
    return batch;
}

Pace pace() {
    return Pace({.seconds = 0.25, .fewest_tasks = 64, .most_tasks = 1024});
}

TEST(Pace, BeginsWithFewTasks) {
    EXPECT_EQ(pace().tasks(), 64);
}

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

}  // namespace
}  // namespace plimsoll::worker
