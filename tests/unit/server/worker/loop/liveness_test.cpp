#include "server/worker/loop/liveness.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

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

}  // namespace
}  // namespace plimsoll::worker
