#include "server/base/giving_way.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace plimsoll {
namespace {

using Steady = std::chrono::steady_clock;

// How often a thread that computes for 50 ms goes to sleep.
long pauses_of_computing() {
    rusage before{};
    getrusage(RUSAGE_THREAD, &before);
    for (const auto end = Steady::now() + std::chrono::milliseconds(50); Steady::now() < end;) {
    }
    rusage after{};
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_nvcsw - before.ru_nvcsw;
}

TEST(GivingWay, PausesWhileItExists) {
    std::thread([] {
        {
            const GivingWay giving_way;
            // About 200 on a free processor; fewer where others take it.
            EXPECT_GE(pauses_of_computing(), 5);
        }
        EXPECT_EQ(0, pauses_of_computing());
    }).join();
}

TEST(GivingWay, AffectsOnlyItsThread) {
    const auto nice = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
    const auto before = nice();
    std::thread([&nice, before] {
        const GivingWay giving_way;
        EXPECT_GE(nice(), std::max(10, before));
    }).join();
    EXPECT_EQ(before, nice());
    EXPECT_EQ(0, pauses_of_computing());
}

}  // namespace
}  // namespace plimsoll
