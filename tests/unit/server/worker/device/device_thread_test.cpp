#include "server/worker/device/device_thread.hpp"

#include "tests/unit/server/worker/base/test_kinds.hpp"

#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

using namespace std::chrono_literals;

struct Thread {
    explicit Thread(std::optional<std::chrono::milliseconds> release_after, Prepare prepare = {},
                    std::chrono::milliseconds prepare_after = 1ms,
                    std::chrono::milliseconds prepare_within = 1h)
        : thread(io.get_executor(), find_test_kind, [] { return 0.5; },
                 {[this](opencl::Device*) -> std::uint64_t {
                      ++cleanings;
                      cleaned.release();
                      return 0;
                  },
                  release_after, std::move(prepare), prepare_after, prepare_within}) {
        thread.start([] { return Result<OpenedDevice>(OpenedDevice{}); }, [](const auto&) {},
                     [this](const std::shared_ptr<Batch>&) { ++finished; },
                     [](const std::string&) {});
    }

    void run_batch() {
        auto batch = std::make_shared<Batch>();
        add(*batch, "echo", JobId{1}, {""});
        run(std::move(batch));
    }

    static void add(Batch& batch, const char* kind, JobId job,
                    const std::vector<std::string>& inputs, std::size_t whole = 0) {
        for (std::size_t n = 0; n < inputs.size(); ++n) {
            auto& task = batch.slots.emplace_back(std::make_unique<TaskSlot>())->task;
            task.kind = kind;
            task.job = job;
            task.seq = static_cast<int>(n);
            task.input = inputs[n];
            task.items = 1;
            task.whole = whole;
        }
    }

    void run(std::shared_ptr<Batch> batch) {
        thread.submit(std::move(batch));
        const int before = finished;
        while (finished == before) io.run_one_for(60s);
    }

    boost::asio::io_context io{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
        io.get_executor()};
    std::counting_semaphore<> cleaned{0};
    std::atomic<int> cleanings{0};
    int finished = 0;
    DeviceThread thread;
};

TEST(DeviceThread, ReleasesMemoryOnceWhenItBecomesIdle) {
    Thread idle(1ms);
    idle.run_batch();
    EXPECT_TRUE(idle.cleaned.try_acquire_for(60s));
    idle.run_batch();
    EXPECT_TRUE(idle.cleaned.try_acquire_for(60s));
    EXPECT_EQ(idle.cleanings, 2) << "nothing is left to let go of until the next batch";
}

TEST(DeviceThread, KeepsMemoryUntilRequestedIfConfigured) {
    Thread kept({});
    kept.run_batch();
    bool told = false;
    kept.thread.clean([&](const queue::Freed&) { told = true; });
    while (!told) kept.io.run_one_for(60s);
    EXPECT_EQ(kept.cleanings, 1);
}

TEST(DeviceThread, AJobThatItHasWholeGetsItsReportIfAllTasksAreDone) {
    Thread worker({});
    auto batch = std::make_shared<Batch>();
    Thread::add(*batch, "rows again", JobId{1}, {"a", "b", "c"}, 3);
    Thread::add(*batch, "fail", JobId{2}, {"fine", "internal"}, 2);
    Thread::add(*batch, "echo", JobId{3}, {"x", "y"});
    Thread::add(*batch, "echo", JobId{4}, {"x", "y"}, 2);
    worker.run(batch);
    std::vector<std::string> reports, rows;
    for (const auto& report : batch->reports) {
        reports.push_back(report.report);
        rows.push_back(report.output.results);
    }
    EXPECT_EQ(reports, (std::vector<std::string>{"", "", "{}", "", "", "", "", "", "xy"}));
    EXPECT_EQ(rows, (std::vector<std::string>{"a", "b", "a", "", "", "x", "y", "x", "y"}));
}

// What prepares, as long as it is told to keep something ready.
struct Keeping {
    Prepare prepare() {
        return [this](jobs::RunContext&) {
            const bool keeps = keep;
            prepared.release();
            return jobs::Prepared{.worked = false, .keeps_ready = keeps};
        };
    }
    std::counting_semaphore<> prepared{0};
    std::atomic<bool> keep{true};
};

TEST(DeviceThread, WhatIsKeptReadyIsReleasedOnlyAfterItsTime) {
    Keeping kept;
    Thread early(1ms, kept.prepare());
    for (int looks = 0; looks < 20; ++looks) ASSERT_TRUE(kept.prepared.try_acquire_for(60s));
    EXPECT_EQ(early.cleanings, 0) << "idle for longer than a millisecond";
    kept.keep = false;
    EXPECT_TRUE(early.cleaned.try_acquire_for(60s));
    for (int looks = 0; looks < 20; ++looks) ASSERT_TRUE(kept.prepared.try_acquire_for(60s));
    EXPECT_EQ(early.cleanings, 1);
}

TEST(DeviceThread, WhatOtherWorkLeftIsReleasedThoughSomethingIsKeptReady) {
    std::atomic<bool> worked{false};
    Thread idle(1ms, [&](jobs::RunContext&) {
        return jobs::Prepared{.worked = !worked.exchange(true), .keeps_ready = true};
    });
    EXPECT_TRUE(idle.cleaned.try_acquire_for(60s));
}

TEST(DeviceThread, WhatAPersonReleasedIsNotMadeReadyBeforeSomethingRuns) {
    Keeping kept;
    Thread asked({}, kept.prepare());
    ASSERT_TRUE(kept.prepared.try_acquire_for(60s));
    bool told = false;
    asked.thread.clean([&](const queue::Freed&) { told = true; });
    while (!told) asked.io.run_one_for(60s);
    while (kept.prepared.try_acquire()) {
    }
    EXPECT_FALSE(kept.prepared.try_acquire_for(50ms));
    asked.run_batch();
    EXPECT_TRUE(kept.prepared.try_acquire_for(60s));
}

TEST(DeviceThread, PreparesWhileIdleAndMakesWayForABatch) {
    std::counting_semaphore<> preparing{0};
    std::atomic<int> stopped{0};
    Thread idle({}, [&](jobs::RunContext& context) {
        preparing.release();
        std::mutex mutex;
        std::condition_variable_any asked;
        std::unique_lock lock(mutex);
        stopped += asked.wait_for(lock, context.stop, 60s, [] { return false; }) ? 0 : 1;
        return jobs::Prepared{.worked = true, .keeps_ready = false};
    });
    ASSERT_TRUE(preparing.try_acquire_for(60s));
    EXPECT_TRUE(idle.thread.pulse().busy);
    EXPECT_TRUE(idle.thread.pulse().preparing);
    idle.run_batch();
    EXPECT_EQ(stopped, 1);
    ASSERT_TRUE(preparing.try_acquire_for(60s)) << "it goes on when the thread is idle again";
    idle.thread.hold();
    while (idle.thread.pulse().busy) std::this_thread::yield();
    EXPECT_FALSE(preparing.try_acquire_for(20ms)) << "a thread that leaves prepares nothing";
}

TEST(DeviceThread, PreparesInAShortGapWhereThereIsNoLongOne) {
    Keeping kept;
    Thread busy({}, kept.prepare(), 1h, 1ms);
    busy.run_batch();
    EXPECT_TRUE(kept.prepared.try_acquire_for(60s));
    EXPECT_TRUE(kept.prepared.try_acquire_for(60s)) << "and again";
}

TEST(DeviceThread, PreparesNothingMoreAfterAnError) {
    std::atomic<int> tried{0};
    Thread idle(1ms, [&](jobs::RunContext&) -> jobs::Prepared {
        ++tried;
        throw std::runtime_error("broken");
    });
    idle.run_batch();
    EXPECT_TRUE(idle.cleaned.try_acquire_for(60s));
    idle.run_batch();
    EXPECT_TRUE(idle.cleaned.try_acquire_for(60s));
    EXPECT_LE(tried, 1);
}

}  // namespace
}  // namespace plimsoll::worker
