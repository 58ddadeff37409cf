#include "tests/unit/server/worker/loop/worker_case.hpp"

namespace plimsoll::worker {
namespace {

using Outcome = queue::TaskReport::Outcome;

const Error kAway{Errc::unavailable, "The database does not respond.", {}};

TEST_F(WorkerTest, RecordsEachTaskOnceWithItsFence) {
    store_.ready = {{task("echo", 0), task("echo", 1)}, {task("echo", 2)}};
    until([&] { return store_.recorded.size() == 2; });
    ASSERT_EQ(store_.recorded[1].size(), 2U);
    EXPECT_EQ(store_.recorded[1][1].output.results, "input 1");
    ASSERT_EQ(store_.recorded[2].size(), 1U);
    EXPECT_EQ(store_.recorded[2][0].seq, 2);
    EXPECT_TRUE(store_.released.empty());
}

TEST_F(WorkerTest, ReleasesItsMemoryOnRequest) {
    store_.reply.cleanup = 7;
    until([&] { return store_.cleaned.size() == 1; });
    EXPECT_EQ(store_.cleaned[0].first, 7);
    EXPECT_EQ(store_.cleaned[0].second.kept_bytes, 4096U);
    EXPECT_EQ(store_.cleaned[0].second.freed_bytes, 1000);
    EXPECT_EQ(cleanings_, 1);
}

TEST_F(WorkerTest, CleansUpBetweenBatchesAndOncePerRequest) {
    store_.ready = {{task("gate")}, {task("echo", 1)}};
    until_entered();
    for (int beats = 0; beats < 2; ++beats) {
        store_.reply.cleanup = 7;
        store_.notify();
        advance(300ms);
        EXPECT_EQ(store_.reply.cleanup, 0) << "the beat that asks came";
        EXPECT_EQ(cleanings_, 0);
    }
    gate.open.release();
    until([&] { return store_.recorded.size() == 2 && store_.cleaned.size() == 1; });
    EXPECT_EQ(cleanings_, 1);
}

TEST_F(WorkerTest, WhatARunningTaskSaysIsRecordedOnceWithAHeartbeat) {
    store_.ready = {{task("gate", 4)}};
    until_entered();
    for (int beats = 0; beats < 2; ++beats) {
        store_.notify();
        advance(300ms);
    }
    ASSERT_EQ(store_.said.size(), 1U);
    EXPECT_EQ(store_.said[0].seq, 4);
    ASSERT_EQ(store_.said[0].lines.size(), 1U);
    EXPECT_EQ(store_.said[0].lines[0].text, "At the gate.");
    gate.open.release();
    until([&] { return store_.recorded.size() == 1; });
    EXPECT_TRUE(store_.recorded[1][0].lines.empty());
}

TEST_F(WorkerTest, TheRestIsRecordedWithTheOutcome) {
    auto failing = task("fail");
    failing.input = "unavailable";
    store_.ready = {{std::move(failing)}, {task("echo")}};
    until([&] { return store_.recorded.size() == 2; });
    const auto& lines = store_.recorded[1][0].lines;
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].text.starts_with("The error may be temporary: the task waits at least "));
    EXPECT_TRUE(store_.recorded[2][0].lines.empty()) << "a task like any other says nothing";
    EXPECT_TRUE(store_.said.empty());
}

TEST_F(WorkerTest, ANotificationSendsAHeartbeat) {
    until([&] { return store_.registered == 1 && store_.claims >= 1; });
    const auto before = timer_.now();
    store_.reply.cleanup = 7;
    store_.calls = true;
    store_.notify();
    until([&] { return store_.cleaned.size() == 1; });
    EXPECT_LT(timer_.now() - before, 2s) << "not with the next usual heartbeat";
}

TEST_F(WorkerTest, AHungDeviceThreadStopsTheHeartbeats) {
    store_.ready = {{task("gate")}};
    until_entered();
    const auto start = timer_.now();
    advance(60s);
    for (const auto at : store_.heartbeats) EXPECT_LT(at - start, 4s);
    EXPECT_TRUE(store_.recorded.empty());

    const auto before = store_.heartbeats.size();
    gate.open.release();
    until([&] { return store_.recorded.size() == 1 && store_.heartbeats.size() > before; });
}

TEST_F(WorkerTest, AHungDeviceThreadClaimsNothingMore) {
    store_.ready = {{task("gate")}};
    until_entered();
    advance(20s);
    const int claims = store_.claims;
    store_.notify();
    advance(20s);
    EXPECT_EQ(store_.claims, claims);
    gate.open.release();
}

TEST_F(WorkerTest, AnIdleWorkerSendsAHeartbeatEveryFiveSeconds) {
    until([&] { return store_.registered == 1; });
    const auto start = timer_.now();
    until([&] { return store_.heartbeats.size() == 3; });
    EXPECT_EQ(timer_.now() - start, 15s);
}

TEST_F(WorkerTest, RegistersAgainWhenItsCapabilitiesChange) {
    until([&] { return store_.heartbeats.size() == 2; });
    EXPECT_EQ(store_.registered, 1);
    capabilities_ = {"model finbert"};
    until([&] { return store_.registered == 2; });
    EXPECT_EQ(store_.capabilities, capabilities_);
    until([&] { return store_.heartbeats.size() == 5; });
    EXPECT_EQ(store_.registered, 2);
}

TEST_F(WorkerTest, FinishesItsTasksBeforeItRegistersAgain) {
    store_.ready = {{task("gate")}, {task("echo", 1)}};
    until_entered();
    capabilities_ = {"model finbert"};
    advance(11s);
    EXPECT_EQ(store_.registered, 1);
    gate.open.release();
    until([&] { return store_.registered == 2; });
    EXPECT_EQ(store_.recorded.size(), 2U) << "both batches were claimed, and their leases count";
    store_.ready = {{task("echo", 2)}};
    until([&] { return store_.recorded.size() == 3; });
}

TEST_F(WorkerTest, AnIdleWorkerWithoutNotificationsClaimsEverySecond) {
    until([&] { return store_.claims > 0; });
    const int claims = store_.claims;
    const auto first = timer_.now();
    until([&] { return store_.claims >= claims + 3; });
    EXPECT_EQ(timer_.now() - first, 3s);
    // Submitted right after a look, and the notification is lost.
    store_.ready = {{task("echo")}};
    until([&] { return !store_.recorded.empty(); });
    EXPECT_EQ(timer_.now() - first, 4s);
}

TEST_F(WorkerTest, ANotifiedCancelStopsTheRunningTask) {
    store_.ready = {{task("obedient", 0, {7})}};
    until_entered();
    store_.reply.cancelled = {JobId{7}};
    store_.notify();
    advance(250ms);
    until([&] { return !store_.released.empty(); });
    EXPECT_EQ(store_.released, std::vector<std::int64_t>{1});
    EXPECT_TRUE(store_.recorded.empty());
}

TEST_F(WorkerTest, ACancelLeavesOtherJobsOfTheBatchAlone) {
    store_.ready = {{task("obedient", 0, {7}), task("echo", 0, {8})}};
    until_entered();
    store_.reply.cancelled = {JobId{7}};
    advance(5s);
    until([&] { return !store_.released.empty(); });
    ASSERT_EQ(store_.recorded[1].size(), 1U);
    EXPECT_EQ(store_.recorded[1][0].job, JobId{8});
}

TEST_F(WorkerTest, DrainingCompletesTheRunningTaskAndReleasesTheRest) {
    store_.ready = {{task("gate", 0), task("echo", 1)}, {task("echo", 2)}};
    until_entered();
    advance(50ms);  // the second batch is claimed ahead
    worker_.drain();
    gate.open.release();
    until([&] { return ended_.has_value(); });
    EXPECT_TRUE(*ended_);
    ASSERT_EQ(store_.recorded.size(), 1U);
    ASSERT_EQ(store_.recorded[1].size(), 1U);
    EXPECT_EQ(store_.recorded[1][0].seq, 0);
    EXPECT_EQ(store_.released, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(store_.retired, 1);
}

TEST_F(WorkerTest, ADrainSendsHeartbeatsWhileTheTaskRuns) {
    store_.ready = {{task("gate")}};
    until_entered();
    worker_.drain();
    advance(6s);
    EXPECT_FALSE(store_.heartbeats.empty());
    EXPECT_FALSE(ended_);
    gate.open.release();
    until([&] { return ended_.has_value(); });
}

TEST_F(WorkerTest, ADrainBehindAHungTaskIsAbandoned) {
    store_.ready = {{task("gate")}};
    until_entered();
    worker_.drain();
    advance(31s);
    ASSERT_TRUE(ended_.has_value());
    EXPECT_FALSE(*ended_);
    EXPECT_EQ(store_.retired, 1);
    gate.open.release();
}

TEST_F(WorkerTest, AbandoningWaitsForNothing) {
    store_.ready = {{task("gate")}};
    until_entered();
    worker_.abandon();
    advance(50ms);
    ASSERT_TRUE(ended_.has_value());
    EXPECT_FALSE(*ended_);
    gate.open.release();
}

TEST_F(WorkerTest, ResultsWaitForTheDatabaseToComeBack) {
    store_.ready = {{task("gate")}};
    until_entered();
    store_.down = kAway;
    gate.open.release();
    until([&] { return store_.completions_tried >= 10; });
    EXPECT_TRUE(store_.recorded.empty());
    store_.down.reset();
    until([&] { return store_.recorded.size() == 1; });
    EXPECT_EQ(store_.recorded[1].size(), 1U);
    EXPECT_EQ(store_.registered, 1);
}

TEST_F(WorkerTest, WaitsForAWorkerOfTheSameNameToEnd) {
    store_.down = Error{Errc::conflict, "A worker of another machine has this device.", {}};
    store_.ready = {{task("echo")}};
    until([&] { return store_.registrations_tried >= 10; });
    EXPECT_EQ(store_.registered, 0);
    EXPECT_EQ(store_.claims, 0);
    store_.down.reset();
    until([&] { return store_.recorded.size() == 1; });
}

TEST_F(WorkerTest, WaitsForADatabaseThatIsDownAtTheStart) {
    store_.down = kAway;
    store_.ready = {{task("echo")}};
    const auto start = timer_.now();
    until([&] { return timer_.now() - start > 30s; });
    store_.down.reset();
    until([&] { return store_.recorded.size() == 1; });
}

TEST_F(WorkerTest, AStaleReplyIsDroppedAndWorkContinues) {
    store_.judge = [&, first = true](const auto&) mutable -> Result<queue::Acceptance> {
        return std::exchange(first, false) ? queue::Acceptance::stale : queue::Acceptance::accepted;
    };
    store_.ready = {{task("echo", 0)}, {task("echo", 1)}};
    until([&] { return store_.recorded.size() == 1; });
    EXPECT_EQ(store_.recorded[2].front().seq, 1);
    EXPECT_EQ(store_.completions_tried, 2);
}

TEST_F(WorkerTest, LostLeasesAreNeverReportedUnderTheNewEpoch) {
    store_.ready = {{task("obedient", 0), task("echo", 1)}};
    until_entered();
    store_.reply.expired = true;
    advance(5s);
    until([&] { return store_.registered == 2; });
    store_.ready = {{task("echo", 2)}};
    until([&] { return store_.recorded.size() == 1; });
    EXPECT_EQ(store_.recorded.begin()->second.front().seq, 2);
    EXPECT_TRUE(store_.released.empty());
    EXPECT_EQ(store_.completions_tried, 1);
}

TEST_F(WorkerTest, ARefusedResultFailsAlone) {
    store_.judge = [](const std::vector<queue::TaskReport>& reports) -> Result<queue::Acceptance> {
        for (const auto& report : reports)
            if (report.seq == 1 && report.outcome == Outcome::done)
                return fail(Errc::too_large, "Over 8 MiB.");
        return queue::Acceptance::accepted;
    };
    store_.ready = {{task("echo", 0), task("echo", 1), task("echo", 2)}};
    until([&] { return store_.recorded[1].size() == 3; });
    for (const auto& report : store_.recorded[1]) {
        EXPECT_EQ(report.outcome, report.seq == 1 ? Outcome::failed : Outcome::done);
        if (report.seq == 1) {
            EXPECT_EQ(report.error, "The result could not be stored: Over 8 MiB.");
            EXPECT_TRUE(report.output.results.empty());
        }
    }
}

TEST_F(WorkerTest, NothingElseIsClaimedWithATaskThatRanBefore) {
    auto suspect = task("gate", 0);
    suspect.attempt = 2;
    store_.ready = {{suspect}, {task("echo", 1)}};
    until_entered();
    advance(3s);
    EXPECT_EQ(store_.ready.size(), 1U);
    gate.open.release();
    until([&] { return store_.recorded.size() == 2; });
}

TEST_F(WorkerTest, OneBatchIsClaimedAheadAndNoMore) {
    store_.ready = {{task("gate", 0)}, {task("echo", 1)}, {task("echo", 2)}};
    until_entered();
    advance(3s);
    EXPECT_EQ(store_.ready.size(), 1U);
    gate.open.release();
    until([&] { return store_.recorded.size() == 3; });
}

TEST_F(WorkerTest, AfterAClaimThatTookAllUrgentTasksTheNextWaitsForANotificationOrTheEnd) {
    auto urgent = task("gate");
    urgent.priority = kUrgentPriority;
    store_.ready = {{urgent}};
    until_entered();
    advance(50ms);
    const int claims = store_.claims;
    store_.ready = {{task("echo", 1)}, {task("echo", 2)}};
    advance(500ms);
    EXPECT_EQ(store_.claims, claims);
    store_.notify();
    advance(50ms);
    EXPECT_EQ(store_.claims, claims + 1);
    gate.open.release();
    until([&] { return store_.recorded.size() == 3; });
}

TEST_F(WorkerTest, TasksThatEndAtOnceAreClaimedByTheThousand) {
    until([&] { return store_.claims > 0; });
    EXPECT_EQ(store_.last_max_tasks, 64);
    until([&] {
        if (store_.ready.empty()) store_.ready.push_back({task("echo")});
        return store_.last_max_tasks == 2048;
    });
}

TEST_F(WorkerTest, NothingIsClaimedAheadOfALongTask) {
    store_.ready = {{task("gate", 0, {1}, 60.0)}, {task("echo", 1)}};
    until_entered();
    advance(3s);
    EXPECT_EQ(store_.ready.size(), 1U);
    gate.open.release();
    until([&] { return store_.recorded.size() == 2; });
}

TEST_F(WorkerTest, EveryClaimNamesTheFreeMemory) {
    constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
    const auto until_claimed = [&] {
        const int before = store_.claims;
        until([&] { return store_.claims > before; });
    };
    until_claimed();
    EXPECT_FALSE(store_.last_free_memory) << "a device that does not say";
    free_ = telemetry::DeviceMemory{80 * kGibibyte, 30 * kGibibyte};
    until_claimed();
    EXPECT_EQ(store_.last_free_memory, 30 * kGibibyte - kGibibyte / 2);
    free_ = telemetry::DeviceMemory{80 * kGibibyte, kGibibyte / 4};  // a training run has grown
    until_claimed();
    EXPECT_EQ(store_.last_free_memory, 0);
    const auto beats = store_.heartbeats.size();
    until([&] { return store_.heartbeats.size() > beats + 1; });
    EXPECT_EQ(store_.last_telemetry.free_memory, kGibibyte / 4);
    EXPECT_EQ(store_.last_telemetry.offered_memory, 0) << "nothing beyond the reserve";
}

TEST_F(WorkerTest, TheHeartbeatReportsTaskOutcomes) {
    store_.ready = {{task("echo", 0), task("echo", 1)}};
    until([&] { return store_.recorded.size() == 1; });
    const auto beats = store_.heartbeats.size();
    until([&] { return store_.heartbeats.size() > beats; });
    EXPECT_EQ(store_.last_telemetry.claims, 1);
    EXPECT_EQ(store_.last_telemetry.tasks_done, 2);
}

TEST_F(WorkerTest, TasksReportTheTokensThatTheyRead) {
    store_.ready = {{task("echo", 0), task("echo", 1)}};
    until([&] { return store_.recorded.size() == 1; });
    for (const auto& report : store_.recorded.begin()->second) EXPECT_EQ(report.tokens, 3);
}

TEST_F(WorkerTest, TheHeartbeatCarriesItemsPerJob) {
    store_.ready = {{task("echo", 0, {7}), task("echo", 1, {7}), task("gate", 0, {8})}};
    until_entered();
    advance(5s);
    const std::vector<std::pair<JobId, std::int64_t>> expected{{JobId{7}, 2}, {JobId{8}, 0}};
    EXPECT_EQ(store_.last_items, expected);
    gate.open.release();
}

}  // namespace
}  // namespace plimsoll::worker
