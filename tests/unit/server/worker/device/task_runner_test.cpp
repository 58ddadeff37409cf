#include "server/worker/device/task_runner.hpp"

#include "tests/unit/server/worker/base/test_kinds.hpp"

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

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

TEST(TaskRunner, TheOnlyTaskOfAJobMakesTheReport) {
    auto slot = slot_of("rows again", "rows");
    slot->task.whole = 1;
    const auto report = run_task(*slot, find_test_kind, {}, 0.5).value();
    EXPECT_FALSE(report.merge);
    EXPECT_EQ(report.output.partial, "{}");
    EXPECT_EQ(report.output.results, "rows");
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
    for (const auto* input : {"exhausted", "unavailable", "timeout", "bad_alloc"})
        EXPECT_EQ(outcome_of(input), Outcome::retry) << input;
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
    for (const auto* input : {"invalid_input", "internal", "throw", "throw 7"})
        EXPECT_EQ(outcome_of(input), Outcome::failed) << input;
}

TEST(TaskRunner, AnExceptionsMessageReachesTheReport) {
    auto slot = slot_of("fail", "throw");
    EXPECT_EQ(run_task(*slot, find_test_kind, {}, 0.5).value().error,
              "The task failed unexpectedly: a bug");
}

TEST(TaskRunner, BrokenArgumentsAreFinal) {
    auto slot = slot_of("echo", "");
    slot->task.args = jobs::JobArgs("broken");
    const auto report = run_task(*slot, find_test_kind, {}, 0.5).value();
    EXPECT_EQ(report.outcome, Outcome::failed);
    EXPECT_EQ(report.error, "The job's arguments are corrupt: a bug");
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

struct SharedSlots {
    explicit SharedSlots(const std::vector<std::string>& inputs) {
        for (const auto& input : inputs) {
            slots.push_back(slot_of("shared", input));
            slots.back()->task.seq = static_cast<int>(slots.size()) - 1;
            pointers.push_back(slots.back().get());
        }
    }
    Together run() {
        return run_together(pointers, find_test_kind, {}, [] { return 0.5; });
    }

    std::vector<std::unique_ptr<TaskSlot>> slots;
    std::vector<TaskSlot*> pointers;
};

TEST(Together, EachTaskGetsItsOutputAndItsPartOfTheTime) {
    SharedSlots shared({"a", "abc", "", "abcdef"});
    const auto together = shared.run();
    ASSERT_EQ(together.reports.size(), 4U);
    EXPECT_TRUE(together.alone.empty());
    EXPECT_EQ(together.reports[1].output.results, "4: abc");
    EXPECT_EQ(together.reports[2].device_seconds, 0);
    const double unit = together.reports[0].device_seconds;
    EXPECT_NEAR(together.reports[1].device_seconds, 3 * unit, 3e-9);
    EXPECT_NEAR(together.reports[3].device_seconds, 6 * unit, 6e-9);
}

TEST(Together, AnErrorOrAStopOfATaskIsItsOwn) {
    SharedSlots shared({"a", "unreadable", "stopped", "b"});
    shared.slots[2]->stop.request_stop();
    const auto together = shared.run();
    ASSERT_EQ(together.reports.size(), 3U) << "what was stopped has none";
    EXPECT_EQ(together.reports[0].outcome, Outcome::done);
    EXPECT_EQ(together.reports[1].outcome, Outcome::failed);
    EXPECT_EQ(together.reports[1].error, "As told.");
    EXPECT_EQ(together.reports[2].output.results, "4: b");
    EXPECT_TRUE(together.alone.empty());
}

TEST(Together, WhatCannotRunTogetherIsLeftToRunAlone) {
    for (const auto* culprit : {"break", "throw"}) {
        SharedSlots shared({culprit, "a", "b"});
        const auto together = shared.run();
        EXPECT_TRUE(together.reports.empty());
        EXPECT_EQ(together.alone, shared.pointers);
    }
}

TEST(Together, PartsOfATimeAddUpToTheNanosecond) {
    std::mt19937 bits(3);
    for (int round = 0; round < 1000; ++round) {
        std::vector<std::uint64_t> work(1 + bits() % 64);
        std::uint64_t all = 0;
        for (auto& one : work) all += one = bits() % 5 == 0 ? 0 : bits() % 10'000;
        const std::chrono::nanoseconds whole(bits());
        const auto parts = divided(whole, work);
        std::chrono::nanoseconds sum{0};
        for (std::size_t i = 0; i < parts.size(); ++i) {
            sum += parts[i];
            const double part = all == 0 ? 1 / static_cast<double>(work.size())
                                         : static_cast<double>(work[i]) / static_cast<double>(all);
            EXPECT_NEAR(static_cast<double>(parts[i].count()),
                        part * static_cast<double>(whole.count()), 1);
        }
        EXPECT_EQ(sum, whole);
    }
    EXPECT_TRUE(divided(1s, {}).empty());
}

}  // namespace
}  // namespace plimsoll::worker
