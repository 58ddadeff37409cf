#include "server/worker/base/processor_wait.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

using namespace std::chrono_literals;

TEST(ProcessorWait, GrowsWhereMoreThreadsComputeThanThereAreProcessors) {
    if (!std::filesystem::exists("/proc/self/schedstat")) GTEST_SKIP() << "not counted here";
    ProcessorWait wait;
    wait.restart();
    std::atomic<bool> over = false;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 3 * std::thread::hardware_concurrency(); ++i) {
        threads.emplace_back([&over] {
            while (!over) {
            }
        });
    }
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (wait.longest() < 50ms && std::chrono::steady_clock::now() < limit) {
    }
    EXPECT_GE(wait.longest(), 50ms);
    over = true;
    for (auto& thread : threads) thread.join();
    wait.restart();
    EXPECT_LT(wait.longest(), 50ms);
}

TEST(ProcessorWait, IsZeroIfNothingIsKnown) {
    const ProcessorWait wait("/no/such/folder");
    EXPECT_EQ(wait.longest(), 0ns);
}

}  // namespace
}  // namespace plimsoll::worker
