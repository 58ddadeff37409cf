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

// How often this thread goes to sleep while it computes, until it did so `enough` times or the time
// is over.
long pauses_of_computing(long enough, Steady::duration most) {
    const auto sleeps = [] {
        rusage used{};
        getrusage(RUSAGE_THREAD, &used);
        return used.ru_nvcsw;
    };
    const auto before = sleeps();
    const auto end = Steady::now() + most;
    while (Steady::now() < end && sleeps() - before < enough) {
    }
    return sleeps() - before;
}

long pauses_of_computing() {
    return pauses_of_computing(1, std::chrono::milliseconds(50));
}

TEST(GivingWay, PausesWhileItExists) {
    std::thread([] {
        {
            const GivingWay giving_way;
            // Within 2 ms on a free processor; others may take it for long.
            EXPECT_GE(pauses_of_computing(5, std::chrono::seconds(30)), 5);
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
