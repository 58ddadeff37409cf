#include "server/worker/device/device_thread.hpp"

#include "tests/unit/server/worker/base/test_kinds.hpp"

#include <semaphore>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

using namespace std::chrono_literals;

struct Thread {
    explicit Thread(std::optional<std::chrono::milliseconds> when_idle)
        : thread(io.get_executor(), find_test_kind, [] { return 0.5; },
                 {[this](opencl::Device*) -> std::uint64_t {
                      ++cleanings;
                      cleaned.release();
                      return 0;
                  },
                  when_idle,
                  [this](jobs::RunContext&) {
                      const bool keeps = keep;
                      prepared.release();
                      return keeps;
                  },
                  1ms}) {
        thread.start([] { return Result<OpenedDevice>(OpenedDevice{}); }, [](const auto&) {},
                     [this](const std::shared_ptr<Batch>&) { ++finished; },
                     [](const std::string&) {});
    }

    void run_batch() {
        auto batch = std::make_shared<Batch>();
        batch->slots.push_back(std::make_unique<TaskSlot>());
        batch->slots.back()->task.kind = "echo";
        batch->slots.back()->task.items = 1;
        thread.submit(std::move(batch));
        const int before = finished;
        while (finished == before) io.run_one_for(60s);
    }

    boost::asio::io_context io{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
        io.get_executor()};
    std::counting_semaphore<> cleaned{0};
    std::counting_semaphore<> prepared{0};
    std::atomic<bool> keep{false};  // what is made ready is needed later
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

TEST(DeviceThread, KeepsMemoryUntilRequestedIfSoSet) {
    Thread kept({});
    kept.run_batch();
    bool told = false;
    kept.thread.clean([&](const queue::Freed&) { told = true; });
    while (!told) kept.io.run_one_for(60s);
    EXPECT_EQ(kept.cleanings, 1);
}

TEST(DeviceThread, WhatIsMadeReadyIsReleasedOnlyAfterItsTime) {
    Thread early(1ms);
    early.keep = true;
    for (int looks = 0; looks < 20; ++looks) ASSERT_TRUE(early.prepared.try_acquire_for(60s));
    EXPECT_EQ(early.cleanings, 0) << "idle for longer than a millisecond";
    early.keep = false;
    EXPECT_TRUE(early.cleaned.try_acquire_for(60s));
    for (int looks = 0; looks < 20; ++looks) ASSERT_TRUE(early.prepared.try_acquire_for(60s));
    EXPECT_EQ(early.cleanings, 1);
}

TEST(DeviceThread, WhatAPersonReleasedIsNotMadeReadyBeforeSomethingRuns) {
    Thread asked({});
    asked.keep = true;
    ASSERT_TRUE(asked.prepared.try_acquire_for(60s));
    bool told = false;
    asked.thread.clean([&](const queue::Freed&) { told = true; });
    while (!told) asked.io.run_one_for(60s);
    while (asked.prepared.try_acquire()) {
    }
    EXPECT_FALSE(asked.prepared.try_acquire_for(50ms));
    asked.run_batch();
    EXPECT_TRUE(asked.prepared.try_acquire_for(60s));
}

}  // namespace
}  // namespace plimsoll::worker
