#include "engine/profiling/timing.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::profiling {
namespace {

// A clock that stands still but for what runs say they took.
struct FakeTime {
    double seconds = 100;
    int runs = 0;

    Now now() {
        return [this] { return seconds; };
    }
    profiling::Run taking(std::vector<double> each) {
        return [this, each = std::move(each)]() -> Result<void> {
            seconds += each[std::min<std::size_t>(static_cast<std::size_t>(runs), each.size() - 1)];
            ++runs;
            return {};
        };
    }
};

TEST(Timing, ReportsMedianTailAndSpread) {
    const auto timing = summarise({4, 1, 2, 3, 5}, 2);
    EXPECT_DOUBLE_EQ(timing.median, 3);
    EXPECT_DOUBLE_EQ(timing.p95, 4.8);
    EXPECT_DOUBLE_EQ(timing.spread, 2);
    EXPECT_DOUBLE_EQ(timing.mean, 3);
    EXPECT_DOUBLE_EQ(timing.min, 1);
    EXPECT_EQ(timing.runs, 5);
    EXPECT_EQ(timing.warm_up_runs, 2);
}

TEST(Timing, ExcludesTheWarmUp) {
    FakeTime time;
    const TimingPolicy policy{.warm_up_runs = 2,
                              .warm_up_seconds = 0,
                              .min_runs = 3,
                              .max_runs = 100,
                              .min_seconds = 0,
                              .max_seconds = 1000};
    const auto timing = time_runs(time.taking({50, 20, 1, 2, 3}), policy, {}, time.now());
    ASSERT_TRUE(timing);
    EXPECT_DOUBLE_EQ(timing->median, 2);
    EXPECT_EQ(timing->warm_up_runs, 2);
    EXPECT_EQ(timing->runs, 3);
}

TEST(Timing, RunsQuickThingsOften) {
    FakeTime time;
    const TimingPolicy policy{.warm_up_runs = 1,
                              .warm_up_seconds = 0.0625,
                              .min_runs = 3,
                              .max_runs = 100,
                              .min_seconds = 0.25,
                              .max_seconds = 3};
    const auto timing = time_runs(time.taking({0.0078125}), policy, {}, time.now());
    ASSERT_TRUE(timing);
    EXPECT_EQ(timing->warm_up_runs, 8);
    EXPECT_EQ(timing->runs, 32);
}

TEST(Timing, RunsSlowThingsThreeTimes) {
    FakeTime time;
    const auto timing = time_runs(time.taking({10}), {}, {}, time.now());
    ASSERT_TRUE(timing);
    EXPECT_EQ(timing->warm_up_runs, 1) << "one warm-up run was more than long enough";
    EXPECT_EQ(timing->runs, 3);
}

TEST(Timing, StopsWhenAsked) {
    FakeTime time;
    std::stop_source stop;
    const profiling::Run run = [&]() -> Result<void> {
        if (++time.runs == 4) stop.request_stop();
        return {};
    };
    const auto timing = time_runs(run, {}, {.stop = stop.get_token()}, time.now());
    ASSERT_FALSE(timing);
    EXPECT_EQ(timing.error().code, Errc::cancelled);
    EXPECT_EQ(time.runs, 4);
}

TEST(Timing, StopsAtAFailedRun) {
    FakeTime time;
    const profiling::Run run = [&]() -> Result<void> { return fail(Errc::unavailable, "gone"); };
    const auto timing = time_runs(run, {}, {}, time.now());
    ASSERT_FALSE(timing);
    EXPECT_EQ(timing.error().code, Errc::unavailable);
}

}  // namespace
}  // namespace plimsoll::profiling
