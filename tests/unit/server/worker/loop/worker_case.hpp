#pragma once

#include "server/worker/loop/worker.hpp"
#include "tests/unit/server/worker/base/fake_timer.hpp"
#include "tests/unit/server/worker/base/test_kinds.hpp"
#include "tests/unit/server/worker/loop/fake_store.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace plimsoll::worker {

using namespace std::chrono_literals;

inline queue::ClaimedTask task(std::string kind, int seq = 0, JobId job = {1},
                               double seconds = 0.01) {
    queue::ClaimedTask made;
    made.job = job;
    made.seq = seq;
    made.kind = std::move(kind);
    made.input = "input " + std::to_string(seq);
    made.items = 1;
    made.estimated_seconds = seconds;
    return made;
}

// A worker with a real device thread, on a store and a clock that the test controls.
class WorkerTest : public testing::Test {
  protected:
    void SetUp() override {
        device_.start(
            [this] {
                OpenedDevice opened;
                opened.info.helps = helps_;
                opened.memory = [this] { return free_; };
                opened.check = [this]() -> Result<void> {
                    if (broken_) return fail(Errc::exhausted, "No call succeeds.");
                    return {};
                };
                opened.held_memory = [this]() -> std::optional<std::uint64_t> {
                    return 10'000 - 1'000 * cleanings_;
                };
                return Result<OpenedDevice>(std::move(opened));
            },
            [this](const Result<queue::WorkerInfo>& info) { begin(*info); },
            [this](std::shared_ptr<Batch> batch) { worker_.finished(std::move(batch)); },
            [this](std::string reason) { worker_.end_because(std::move(reason)); });
    }
    void TearDown() override {
        if (!ended_) {
            gate.open.release(10);
            worker_.abandon();
        }
        until([&] { return ended_ && !device_.pulse().busy; });
        while (gate.open.try_acquire() || gate.entered.try_acquire()) {
        }
    }

    void begin(queue::WorkerInfo info) {
        boost::asio::co_spawn(io_, worker_.run(std::move(info)),
                              [this](const std::exception_ptr& thrown, bool idle) {
                                  EXPECT_FALSE(thrown);
                                  ended_ = idle;
                              });
    }

    // Runs what is ready, moving the clock whenever nothing else is left to do.
    void until(const std::function<bool()>& condition) {
        for (;;) {
            io_.poll();
            if (condition()) return;
            if (device_.pulse().busy)
                ASSERT_GT(io_.run_one_for(60s), 0U) << "the device thread does not come back";
            else if (io_.poll() == 0 && !timer_.advance_to_next())
                ASSERT_GT(io_.run_one_for(60s), 0U) << "nothing happens any more";
        }
    }

    // Moves the clock while a task blocks the device thread.
    void advance(std::chrono::milliseconds by) {
        io_.poll();
        for (auto left = by; left > 0ms; left -= 50ms) {
            timer_.advance(std::min(left, 50ms));
            io_.poll();
        }
    }

    // The device thread is inside a task of "gate" or "obedient".
    void until_entered() {
        while (!gate_entered()) io_.run_one_for(1ms);
    }

    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
        io_.get_executor()};
    std::vector<std::string> helps_;               // set before SetUp()
    std::optional<telemetry::DeviceMemory> free_;  // read by the loop, on this thread
    FakeTimer timer_;
    FakeStore store_{io_.get_executor(), timer_};
    std::atomic<int> cleanings_{0};
    std::atomic<bool> broken_{false};  // the device
    DeviceThread device_{io_.get_executor(),
                         find_test_kind,
                         [] { return 0.5; },
                         {[this](opencl::Device*) -> std::uint64_t {
                              ++cleanings_;
                              return 4096;
                          },
                          {}}};
    std::vector<std::string> capabilities_;  // of kinds, as they are at this moment
    Worker worker_{io_.get_executor(),
                   store_,
                   device_,
                   timer_,
                   [] { return 0.0; },
                   {.wait = ProcessorWait(""), .describe = [this](queue::WorkerInfo& info) {
                        info.capabilities = capabilities_;
                    }}};
    std::optional<bool> ended_;  // what run() returned

  private:
    bool gate_entered() {
        entered_ = entered_ || gate.entered.try_acquire();
        return entered_;
    }
    bool entered_ = false;
};

}  // namespace plimsoll::worker
