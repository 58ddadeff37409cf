#include "server/worker/loop/pace.hpp"
#include "tests/unit/server/worker/loop/worker_case.hpp"

#include <string>

namespace plimsoll::worker {
namespace {

// A worker that helps other classes with tasks of "echo" and "gate".
class HelpTest : public WorkerTest {
  protected:
    HelpTest() { helps_ = {"echo:1", "gate:1"}; }
};

TEST_F(WorkerTest, AWorkerWithoutHelpedKindsClaimsOnlyItsClass) {
    store_.ready_elsewhere = {{task("echo")}};
    until([&] { return store_.claims >= 5; });
    EXPECT_EQ(store_.claims_elsewhere, 0);
}

TEST_F(HelpTest, CrossClassTasksRunWhenTheOwnClassHasNone) {
    store_.ready_elsewhere = {{task("echo", 0)}, {task("echo", 1)}, {task("echo", 2)}};
    until([&] { return store_.registered == 1; });
    const auto start = timer_.now();
    until([&] { return store_.recorded.size() == 3; });
    EXPECT_LT(timer_.now() - start, 500ms) << "one claim after the other, without a pause";
}

TEST_F(HelpTest, TheOwnClassComesFirst) {
    store_.ready = {{task("echo", 0)}, {task("echo", 1)}};
    store_.ready_elsewhere = {{task("echo", 2)}};
    until([&] { return store_.recorded.size() == 3; });
    EXPECT_EQ(store_.recorded[3].front().seq, 2);
}

TEST_F(HelpTest, NothingElseIsClaimedWithCrossClassTasks) {
    store_.ready_elsewhere = {{task("gate", 0)}, {task("echo", 1)}};
    until_entered();
    store_.ready = {{task("echo", 2)}};
    const int claims = store_.claims;
    store_.notify();
    advance(3s);
    EXPECT_EQ(store_.claims, claims);
    EXPECT_EQ(store_.claims_elsewhere, 1);
    gate.open.release();
    until([&] { return store_.recorded.size() == 3; });
    EXPECT_EQ(store_.recorded[2].front().seq, 2) << "the own class comes first again";
}

TEST_F(HelpTest, NoCrossClassTasksAreClaimedWithOwnOnes) {
    store_.ready = {{task("gate", 0)}};
    store_.ready_elsewhere = {{task("echo", 1)}};
    until_entered();
    advance(3s);
    EXPECT_EQ(store_.claims_elsewhere, 0);
    gate.open.release();
    until([&] { return store_.recorded.size() == 2; });
}

TEST_F(HelpTest, AnIdleWorkerClaimsCrossClassTwiceASecondAtMost) {
    until([&] { return store_.claims_elsewhere == 1; });
    const int claims = store_.claims;
    for (int i = 0; i < 40; ++i) {
        store_.notify();
        advance(50ms);
    }
    EXPECT_GE(store_.claims - claims, 40);
    EXPECT_LE(store_.claims_elsewhere, 5);
}

TEST_F(HelpTest, ALostReplyEndsTheEpoch) {
    store_.lose_answer_elsewhere = true;
    store_.ready_elsewhere = {{task("echo", 0)}, {task("echo", 1)}};
    until([&] { return store_.registered == 2; });
    EXPECT_EQ(store_.retired, 1);
    EXPECT_EQ(store_.claims_by_epoch[1], 1)
        << "nothing may be claimed beside a lease that nobody knows of";
    until([&] { return store_.recorded.size() == 1; });
    EXPECT_EQ(store_.recorded[2].front().seq, 1);
}

TEST_F(HelpTest, ACancelStopsCrossClassTasks) {
    store_.ready_elsewhere = {{task("obedient", 0, {7})}};
    until_entered();
    store_.reply.cancelled = {JobId{7}};
    store_.notify();
    advance(250ms);
    until([&] { return !store_.released.empty(); });
    EXPECT_TRUE(store_.recorded.empty());
}

TEST_F(HelpTest, TheHeartbeatReportsSlowness) {
    store_.ready_elsewhere = {{task("echo", 0)}};
    until([&] { return store_.recorded.size() == 1; });
    const auto beats = store_.heartbeats.size();
    until([&] { return store_.heartbeats.size() > beats; });
    ASSERT_TRUE(store_.last_telemetry.slowness.contains("echo:1"));
    EXPECT_DOUBLE_EQ(store_.last_telemetry.slowness.at("echo:1"),
                     store_.recorded[1].front().device_seconds / 0.01);
}

Batch batch_of(const std::vector<queue::ClaimedTask>& tasks, double seconds) {
    Batch batch;
    for (const auto& one : tasks) {
        batch.slots.push_back(std::make_unique<TaskSlot>());
        batch.slots.back()->task = one;
        queue::TaskReport report;
        report.job = one.job;
        report.seq = one.seq;
        report.device_seconds = seconds;
        batch.reports.push_back(report);
    }
    return batch;
}

TEST(Slowness, IsMeasuredOverEstimatedTime) {
    Slowness slowness;
    slowness.learn(batch_of({task("a", 0, {1}, 2), task("a", 1, {1}, 4), task("b", 2, {1}, 1)}, 3),
                   {"a:1", "c:1"});
    EXPECT_EQ(slowness.by_kind(), (std::map<std::string, double>{{"a:1", 1}}));
}

TEST(Slowness, TheLastBatchCountsHalf) {
    Slowness slowness;
    slowness.learn(batch_of({task("a", 0, {1}, 1)}, 1), {"a:1"});
    slowness.learn(batch_of({task("a", 0, {1}, 1)}, 4), {"a:1"});
    EXPECT_EQ(slowness.by_kind().at("a:1"), 2.5);
}

TEST(Slowness, IgnoresMergesFailuresAndTasksThatDidNotRun) {
    auto merge = task("a", 0, {1}, 1);
    merge.merge = true;
    auto batch = batch_of({merge, task("a", 1, {1}, 1), task("a", 2, {1}, 1)}, 5);
    batch.reports[1].outcome = queue::TaskReport::Outcome::retry;
    batch.reports.pop_back();
    Slowness slowness;
    slowness.learn(batch, {"a:1"});
    EXPECT_TRUE(slowness.by_kind().empty());
    batch = batch_of({task("a", 1, {1}, 1), task("a", 2, {1}, 1)}, 5);
    batch.reports.erase(batch.reports.begin());
    slowness.learn(batch, {"a:1"});
    EXPECT_EQ(slowness.by_kind().at("a:1"), 5);
}

}  // namespace
}  // namespace plimsoll::worker
