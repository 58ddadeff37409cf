#include "server/worker/device/task_runner.hpp"

#include "tests/unit/server/worker/base/test_kinds.hpp"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

using namespace std::chrono_literals;
using Outcome = queue::TaskReport::Outcome;

std::unique_ptr<TaskSlot> slot_of(std::string kind, std::string input) {
    auto slot = std::make_unique<TaskSlot>();
    slot->task.job = JobId{42};
    slot->task.seq = 3;
    slot->task.kind = std::move(kind);
    slot->task.input = std::move(input);
    return slot;
}

Outcome outcome_of(const std::string& input) {
    auto slot = slot_of("fail", input);
    return run_task(*slot, find_test_kind, {}, 0.5).value().outcome;
}

TEST(TaskRunner, ReturnsTheOutputAndItsTime) {
    auto slot = slot_of("echo", "hello");
    const auto report = run_task(*slot, find_test_kind, {}, 0.5).value();
    EXPECT_EQ(report.job, JobId{42});
    EXPECT_EQ(report.seq, 3);
    EXPECT_EQ(report.outcome, Outcome::done);
    EXPECT_EQ(report.output.results, "hello");
    EXPECT_GE(report.device_seconds, 0);
}

TEST(TaskRunner, MergesPartialAggregatesInOrder) {
    auto slot = slot_of("echo", "");
    slot->task.merge = true;
    slot->task.partials = {"a", "b", "c"};
    const auto report = run_task(*slot, find_test_kind, {}, 0.5).value();
    EXPECT_TRUE(report.merge);
    EXPECT_EQ(report.report, "abc");
}

TEST(TaskRunner, AMergeMayWriteRowsAgain) {
    auto slot = slot_of("rows again", "");
    slot->task.merge = true;
    slot->task.partials = {"rows"};
    const auto report = run_task(*slot, find_test_kind, {}, 0.5).value();
    EXPECT_EQ(report.report, "{}");
    EXPECT_EQ(report.output.results, "rows");
}

TEST(TaskRunner, OutOfMemoryIsRetried) {
    for (const auto* input : {"exhausted", "unavailable", "timeout", "bad_alloc"}) {
        EXPECT_EQ(outcome_of(input), Outcome::retry) << input;
    }
}

TEST(TaskRunner, ARetryWaitsByTheKindOfItsErrorAndItsAttempt) {
    auto slot = slot_of("fail", "exhausted");
    EXPECT_EQ(run_task(*slot, find_test_kind, {}, 0.5)->pause, 2s);
    slot->task.attempt = 3;
    EXPECT_EQ(run_task(*slot, find_test_kind, {}, 0.5)->pause, 32s);
    slot->task.attempt = 6;
    EXPECT_EQ(run_task(*slot, find_test_kind, {}, 0.5)->outcome, Outcome::failed);
}

TEST(TaskRunner, EverythingElseIsFinal) {
    for (const auto* input : {"invalid_input", "internal", "throw", "throw 7"}) {
        EXPECT_EQ(outcome_of(input), Outcome::failed) << input;
    }
}

TEST(TaskRunner, AnExceptionsMessageReachesTheReport) {
    auto slot = slot_of("fail", "throw");
    EXPECT_EQ(run_task(*slot, find_test_kind, {}, 0.5).value().error,
              "The task failed unexpectedly: a bug");
}

TEST(TaskRunner, AnUnknownVersionIsLeftToAnotherWorker) {
    auto slot = slot_of("echo", "");
    slot->task.kind_version = 2;
    const auto report = run_task(*slot, find_test_kind, {}, 0.5).value();
    EXPECT_EQ(report.outcome, Outcome::retry);
    EXPECT_EQ(report.error, "This worker does not support the kind echo in version 2.");
}

TEST(TaskRunner, AStoppedTaskHasNoReport) {
    auto slot = slot_of("fail", "cancelled");
    slot->stop.request_stop();
    EXPECT_FALSE(run_task(*slot, find_test_kind, {}, 0.5));
}

TEST(TaskRunner, ATaskThatStopsWithoutARequestIsRetried) {
    EXPECT_EQ(outcome_of("cancelled"), Outcome::retry);
}

}  // namespace
}  // namespace plimsoll::worker
