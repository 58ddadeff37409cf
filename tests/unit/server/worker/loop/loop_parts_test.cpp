#include "engine/text/record_block.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/records/slice.hpp"
#include "server/worker/loop/inputs.hpp"
#include "server/worker/loop/liveness.hpp"
#include "server/worker/loop/recorder.hpp"
#include "server/worker/loop/time_guard.hpp"
#include "server/worker/loop/worker_process.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::worker {
namespace {

std::shared_ptr<const std::string> chunk_of_records(int first) {
    text::RecordBlockWriter writer(static_cast<std::uint64_t>(first));
    for (int i = 0; i < 20; ++i) {
        text::Record record;
        record.text = "text " + std::to_string(first + i);
        writer.add(record);
    }
    return std::make_shared<const std::string>(gzip(writer.take()));
}

queue::ClaimedTask on_chunk(std::shared_ptr<const std::string> chunk, jobs::Slice slice) {
    queue::ClaimedTask task;
    task.chunk = std::move(chunk);
    task.slice = slice;
    return task;
}

TEST(Inputs, EachTaskGetsItsSliceOfTheSharedChunk) {
    const auto one = chunk_of_records(0);
    const auto other = chunk_of_records(100);
    std::vector<queue::ClaimedTask> tasks;
    tasks.push_back(on_chunk(one, {3, 4}));
    tasks.push_back(on_chunk(other, {0, 4}));
    tasks.push_back(on_chunk(one, {1, 4}));
    tasks.push_back(on_chunk(one, {1, 4}));  // of another job
    tasks.push_back(on_chunk(one, {1, 3}));
    tasks.push_back(on_chunk(one, {0, 1}));
    tasks.emplace_back().input = "own";
    divide_chunks(tasks);
    EXPECT_EQ(tasks[0].input, jobs::cut_slice(*one, {3, 4}).value());
    EXPECT_EQ(tasks[1].input, jobs::cut_slice(*other, {0, 4}).value());
    EXPECT_EQ(tasks[2].input, jobs::cut_slice(*one, {1, 4}).value());
    EXPECT_EQ(tasks[3].input, tasks[2].input);
    EXPECT_EQ(tasks[4].input, jobs::cut_slice(*one, {1, 3}).value());
    EXPECT_EQ(tasks[5].input, *one);
    EXPECT_EQ(tasks[6].input, "own");
    EXPECT_EQ(one.use_count(), 1);
}

TEST(Inputs, ADamagedChunkIsTheInputOfItsTasks) {
    const auto damaged = std::make_shared<const std::string>("noise");
    std::vector tasks{on_chunk(damaged, {0, 2}), on_chunk(damaged, {1, 2})};
    divide_chunks(tasks);
    EXPECT_EQ(tasks[0].input, "noise");
    EXPECT_EQ(tasks[1].input, "noise");
}

}  // namespace

}  // namespace plimsoll::worker

namespace plimsoll::worker::kind_settings_test {
namespace {

constexpr const char* kVariable = "PLIMSOLL_TEST_KIND_LIMIT";

Result<std::string> check(std::string_view value) { return jobs::whole_number(value, 1, 600); }

constexpr jobs::KindSetting kLimit{"test.limit", kVariable, "1..600", "A limit", "15", check};
constexpr jobs::Run kKinds[] = {{.name = "without"}, {.name = "with", .settings = {&kLimit, 1}}};

class KindSettingsTest : public testing::Test {
  protected:
    void SetUp() override { unsetenv(kVariable); }
    void TearDown() override { unsetenv(kVariable); }
};

TEST_F(KindSettingsTest, WithoutItsVariableASettingHasItsDefault) {
    const auto settings = kind_settings(kKinds, "/somewhere");
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->text(kLimit), "15");
    EXPECT_EQ(settings->cache, "/somewhere");
    setenv(kVariable, "", 1);
    EXPECT_EQ(kind_settings(kKinds, {})->text(kLimit), "15");
}

TEST_F(KindSettingsTest, AVariableTakesEffect) {
    setenv(kVariable, "600", 1);
    EXPECT_EQ(kind_settings(kKinds, {})->text(kLimit), "600");
}

TEST_F(KindSettingsTest, AWrongValueNamesItsVariable) {
    for (const auto* value : {"0", "601", "soon"}) {
        setenv(kVariable, value, 1);
        const auto settings = kind_settings(kKinds, {});
        ASSERT_FALSE(settings) << value;
        EXPECT_EQ(settings.error().where, kVariable);
        EXPECT_NE(settings.error().message.find(value), std::string::npos);
    }
}

}  // namespace

}  // namespace plimsoll::worker::kind_settings_test

namespace plimsoll::worker {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart = TimePoint{} + 1h;

// The kernel's files on two threads, written by the test.
class Threads {
  public:
    Threads() { wait(0ms, 0ms); }
    ~Threads() { std::filesystem::remove_all(folder_); }

    void wait(std::chrono::milliseconds device, std::chrono::milliseconds other) {
        write("11", device);
        write("12", other);
    }
    ProcessorWait waits() const { return ProcessorWait(folder_); }

  private:
    void write(const char* thread, std::chrono::nanoseconds waited) const {
        std::filesystem::create_directories(folder_ / thread);
        std::ofstream(folder_ / thread / "schedstat") << "5000000000 " << waited.count() << " 17\n";
    }
    const std::filesystem::path folder_ =
        std::filesystem::path(testing::TempDir()) / ("threads-" + std::to_string(getpid()));
};

const ProcessorWait kNoWait("");

TEST(LivenessDetector, WaitingForAProcessorIsNoSilence) {
    Threads threads;
    threads.wait(9s, 0s);  // before the first look
    LivenessDetector detector(2s, threads.waits());
    const Pulse busy{.busy = true, .preparing = false, .count = 1};
    EXPECT_TRUE(detector.is_alive(busy, kStart));
    EXPECT_FALSE(detector.is_alive(busy, kStart + 2s));
    threads.wait(12s, 1s);  // three seconds more
    EXPECT_TRUE(detector.is_alive(busy, kStart + 4s));
    EXPECT_FALSE(detector.is_alive(busy, kStart + 5s));
    threads.wait(99s, 1s);
    EXPECT_TRUE(detector.is_alive(busy, kStart + 59s));
    EXPECT_FALSE(detector.is_alive(busy, kStart + 60s));
    const Pulse further{.busy = true, .preparing = false, .count = 2};
    EXPECT_TRUE(detector.is_alive(further, kStart + 61s));
    EXPECT_FALSE(detector.is_alive(further, kStart + 63s));
}

TEST(LivenessDetector, LastsForItsPatienceAfterTheLastChange) {
    LivenessDetector detector(5s, kNoWait);
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 7}, kStart));
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 7}, kStart + 4999ms));
    EXPECT_FALSE(detector.is_alive({.busy = true, .count = 7}, kStart + 5s));
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 8}, kStart + 6s));
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 8}, kStart + 10s));
    EXPECT_FALSE(detector.is_alive({.busy = true, .count = 8}, kStart + 11s));
}

TEST(LivenessDetector, AnIdleThreadNeedsNoProgress) {
    LivenessDetector detector(5s, kNoWait);
    EXPECT_TRUE(detector.is_alive({.busy = false, .count = 1}, kStart));
    EXPECT_TRUE(detector.is_alive({.busy = false, .count = 1}, kStart + 1h));
    EXPECT_TRUE(detector.is_alive({.busy = true, .count = 1}, kStart + 1h + 1s));
    EXPECT_FALSE(detector.is_alive({.busy = true, .count = 1}, kStart + 1h + 5s));
}

using Outcome = queue::TaskReport::Outcome;

Batch batch_of(std::size_t tasks, const std::vector<Outcome>& outcomes) {
    Batch batch;
    for (std::size_t i = 0; i < tasks; ++i) batch.slots.push_back(std::make_unique<TaskSlot>());
    for (const auto outcome : outcomes) {
        batch.reports.emplace_back();
        batch.reports.back().outcome = outcome;
    }
    return batch;
}

TEST(SearchCounters, CountsEveryTaskOnceByItsOutcome) {
    queue::WorkerTelemetry told;
    count_settled(told,
                  batch_of(6, {Outcome::done, Outcome::done, Outcome::retry, Outcome::failed}));
    count_settled(told, batch_of(1, {Outcome::done}));
    EXPECT_EQ(told.tasks_done, 3);
    EXPECT_EQ(told.tasks_retried, 1);
    EXPECT_EQ(told.tasks_failed, 1);
    EXPECT_EQ(told.tasks_released, 2);
    EXPECT_EQ(told.tasks_dropped, 0);
}

TEST(SearchCounters, LateOutcomesAreDropped) {
    auto late = batch_of(3, {Outcome::done, Outcome::failed});
    late.lost = true;
    queue::WorkerTelemetry told;
    count_settled(told, late);
    EXPECT_EQ(told.tasks_dropped, 2);
    EXPECT_EQ(told.tasks_done + told.tasks_failed + told.tasks_released, 0);
}

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
