#include "server/worker/loop/time_guard.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kClaimed = TimePoint{} + 1h;

queue::ClaimedTask task_of(double seconds, int seq = 0, const char* kind = "test") {
    queue::ClaimedTask task;
    task.job = JobId{1};
    task.seq = seq;
    task.kind = kind;
    task.estimated_seconds = seconds;
    return task;
}

// A batch of one task, done.
Batch done_after(double estimated, double measured) {
    Batch batch;
    batch.slots.push_back(std::make_unique<TaskSlot>());
    batch.slots.back()->task = task_of(estimated);
    auto& report = batch.reports.emplace_back();
    report.job = JobId{1};
    report.device_seconds = measured;
    return batch;
}

TEST(TimeGuard, AllowsTenTimesThePredictionAndTenSecondsAtLeast) {
    TimeGuard guard;
    guard.learn(done_after(1, 1));
    EXPECT_EQ(guard.allowed(task_of(0.01)), 10s);
    EXPECT_EQ(guard.allowed(task_of(3)), 30s);
    EXPECT_EQ(guard.allowed(task_of(1e5)), 1h);
    EXPECT_EQ(guard.allowed(task_of(std::numeric_limits<double>::infinity())), 1h);
    EXPECT_EQ(guard.allowed(task_of(0)), 30s) << "nothing is predicted";
}

TEST(TimeGuard, TheFirstTaskOfAKindMayBuildAndTune) {
    TimeGuard guard;
    EXPECT_EQ(guard.allowed(task_of(0.01)), 10min);
    guard.learn(done_after(0.01, 0.01));
    EXPECT_EQ(guard.allowed(task_of(0.01)), 10s);
    EXPECT_EQ(guard.allowed(task_of(0.01, 0, "other")), 10min);
}

TEST(TimeGuard, MeasurementsRaiseAnEstimateAndNeverLowerIt) {
    TimeGuard guard;
    guard.learn(done_after(1, 5));
    EXPECT_EQ(guard.allowed(task_of(2)), 100s);
    guard.learn(done_after(1, 1));
    EXPECT_EQ(guard.allowed(task_of(2)), 60s);
    for (int i = 0; i < 60; ++i) guard.learn(done_after(1, 0.01));
    EXPECT_EQ(guard.allowed(task_of(2)), 20s);
}

TEST(TimeGuard, FailedAndStoppedTasksAreNotMeasured) {
    TimeGuard guard;
    auto batch = done_after(1, 1);
    batch.reports.front().outcome = queue::TaskReport::Outcome::failed;
    guard.learn(batch);
    EXPECT_EQ(guard.allowed(task_of(1)), 10min);
    batch.reports.clear();
    guard.learn(batch);
    EXPECT_EQ(guard.allowed(task_of(1)), 10min);
}

TEST(TimeGuard, CountsFromTheStartOfTheTask) {
    TimeGuard guard;
    guard.learn(done_after(0.01, 0.01));
    TaskSlot slot;
    slot.task = task_of(0.01);
    EXPECT_FALSE(guard.check(RunningTasks{{&slot}, 1}, kClaimed));
    EXPECT_FALSE(guard.check(RunningTasks{{&slot}, 1}, kClaimed + 9s));
    // Another one, though its memory is the same.
    EXPECT_FALSE(guard.check(RunningTasks{{&slot}, 2}, kClaimed + 10s));
    EXPECT_FALSE(guard.check(RunningTasks{{&slot}, 2}, kClaimed + 19s));
    const auto reason = guard.check(RunningTasks{{&slot}, 2}, kClaimed + 20s);
    ASSERT_TRUE(reason);
    EXPECT_EQ(
        *reason,
        "A task ran too long (predicted: 0.01 s, allowed: 10 s): its worker process was stopped.");
    EXPECT_FALSE(guard.check({}, kClaimed + 30s));
}

}  // namespace
}  // namespace plimsoll::worker
