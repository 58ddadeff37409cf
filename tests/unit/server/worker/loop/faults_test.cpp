// What costs a worker its process.
#include "tests/unit/server/worker/loop/worker_case.hpp"

#include <string>

namespace plimsoll::worker {
namespace {

using Outcome = queue::TaskReport::Outcome;

// A worker that has finished a task of "gate", and runs another with one of "echo" before it and
// one behind it.
class RunawayTest : public WorkerTest {
  protected:
    void run_away(int attempt = 1) {
        store_.ready = {{task("gate")}};
        gate.open.release();
        until([&] { return store_.recorded.size() == 1 && gate.entered.try_acquire(); });
        auto runaway = task("gate", 1);
        runaway.attempt = attempt;
        store_.ready = {{task("echo", 0), runaway, task("echo", 2)}};
        store_.notify();
        until_entered();
    }
};

TEST_F(RunawayTest, IsReportedOnceWithTheReasonAndEndsTheProcess) {
    run_away();
    advance(9s);
    EXPECT_FALSE(worker_.failure());
    advance(3s);
    ASSERT_TRUE(worker_.failure());
    EXPECT_NE(worker_.failure()->find("ran too long"), std::string::npos);
    ASSERT_EQ(ended_, false) << "the device thread is still at it";
    ASSERT_EQ(store_.recorded[2].size(), 2U);
    const auto& report = store_.recorded[2][0];
    EXPECT_EQ(report.seq, 1);
    EXPECT_EQ(report.outcome, Outcome::died);
    EXPECT_EQ(report.error, *worker_.failure());
    EXPECT_EQ(store_.recorded[2][1].seq, 0) << "what was done before it";
    EXPECT_EQ(store_.retired, 1) << "the rest goes back";
    gate.open.release();
}

TEST_F(RunawayTest, CountsAsADeathAtAnyAttempt) {
    run_away(2);  // whether that is one too many the queue knows, which counts the deaths
    advance(12s);
    ASSERT_FALSE(store_.recorded[2].empty());
    EXPECT_EQ(store_.recorded[2][0].outcome, Outcome::died);
    gate.open.release();
}

TEST_F(RunawayTest, CountsAsADeathIfTheQueueIsUnreachable) {
    run_away();
    store_.down = Error{Errc::unavailable, "The database does not respond.", {}};
    advance(20s);
    ASSERT_EQ(ended_, false);
    EXPECT_EQ(store_.retired, 0) << "nothing goes back as if it had not been begun";
    gate.open.release();
}

TEST_F(WorkerTest, ABrokenDeviceEndsTheProcessAfterFinishedTasksAreRecorded) {
    broken_ = true;
    auto failing = task("fail", 1);
    failing.input = "internal";
    store_.ready = {{task("echo", 0), failing, task("echo", 2)}};
    until([&] { return ended_.has_value(); });
    ASSERT_TRUE(worker_.failure());
    EXPECT_NE(worker_.failure()->find("No call succeeds."), std::string::npos);
    ASSERT_EQ(store_.recorded[1].size(), 2U);
    EXPECT_EQ(store_.recorded[1][0].outcome, Outcome::done);
    EXPECT_EQ(store_.recorded[1][1].outcome, Outcome::died);
    EXPECT_EQ(store_.recorded[1][1].error, *worker_.failure());
    EXPECT_EQ(store_.released, std::vector<std::int64_t>{1});
    EXPECT_EQ(store_.retired, 1);
}

TEST_F(WorkerTest, AFailureOnASoundDeviceAffectsNothingElse) {
    auto failing = task("fail", 0);
    failing.input = "internal";
    store_.ready = {{failing, task("echo", 1)}};
    until([&] { return store_.recorded.size() == 1; });
    EXPECT_FALSE(worker_.failure());
    EXPECT_EQ(store_.recorded[1][0].outcome, Outcome::failed);
    EXPECT_EQ(store_.recorded[1][1].outcome, Outcome::done);
    EXPECT_EQ(cleanings_, 0);
}

TEST_F(WorkerTest, OutOfMemoryReleasesKeptMemory) {
    auto failing = task("fail", 0);
    failing.input = "exhausted";
    store_.ready = {{failing, task("echo", 1)}};
    until([&] { return store_.recorded.size() == 1; });
    EXPECT_EQ(store_.recorded[1][0].outcome, Outcome::retry);
    EXPECT_EQ(cleanings_, 1);
}

}  // namespace
}  // namespace plimsoll::worker
