#include "server/base/background_priority.hpp"
#include "server/base/fair_budget.hpp"
#include "server/base/return_memory.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace plimsoll {
namespace {

constexpr FairBudget::Limits kLimits{.total = 100, .team = 60, .caller = 40};
const FairBudget::Holder kAda{"ada", "research"};
const FairBudget::Holder kVera{"vera", "research"};
const FairBudget::Holder kTom{"tom", "trading"};

TEST(FairBudget, HoldsEachToItsShare) {
    FairBudget budget(kLimits);
    const auto ada = budget.reserve(kAda, 40);
    ASSERT_TRUE(ada);
    EXPECT_FALSE(budget.reserve(kAda, 1));    // the caller's share
    EXPECT_FALSE(budget.reserve(kVera, 21));  // the team's
    const auto vera = budget.reserve(kVera, 20);
    const auto tom = budget.reserve(kTom, 40);
    EXPECT_TRUE(vera);
    EXPECT_TRUE(tom);
    EXPECT_EQ(budget.used(), 100u);
    EXPECT_FALSE(budget.reserve({"eve", {}}, 1));  // all of it
}

TEST(FairBudget, TellsWhichShareIsLacking) {
    using Share = FairBudget::Share;
    FairBudget budget(kLimits);
    const auto ada = budget.reserve(kAda, 30);
    const auto vera = budget.reserve(kVera, 25);
    const auto tom = budget.reserve(kTom, 40);
    EXPECT_EQ(ada->lacking(31), Share::none);
    EXPECT_EQ(ada->lacking(41), Share::caller);
    EXPECT_EQ(ada->lacking(36), Share::team);
    EXPECT_EQ(budget.open({"eve", {}}).lacking(6), Share::total);
    EXPECT_TRUE(FairBudget::shares(Share::team, kAda, kVera));
    EXPECT_FALSE(FairBudget::shares(Share::caller, kAda, kVera));
    EXPECT_FALSE(FairBudget::shares(Share::team, kAda, kTom));
    EXPECT_TRUE(FairBudget::shares(Share::total, kAda, kTom));
}

TEST(FairBudget, ManyReservationsOfOneCallerAreOneShare) {
    FairBudget budget(kLimits);
    auto first = budget.open(kAda);
    auto second = budget.open(kAda);
    EXPECT_TRUE(first.grow_to(30));
    EXPECT_FALSE(second.grow_to(11));
    EXPECT_EQ(second.amount(), 0u);
    EXPECT_TRUE(second.grow_to(10));
    EXPECT_TRUE(second.grow_to(5));  // never shrinks
    EXPECT_EQ(second.amount(), 10u);
}

TEST(FairBudget, ReturnsWhatItReserved) {
    FairBudget budget(kLimits);
    for (int i = 0; i < 10; ++i) {
        auto held = budget.reserve(kAda, 40);
        ASSERT_TRUE(held);
        const auto moved = std::move(*held);
        EXPECT_EQ(moved.amount(), 40u);
    }
    EXPECT_EQ(budget.used(), 0u);
}

TEST(FairBudget, ACallerWithoutATeamHasItsOwnShare) {
    FairBudget budget(kLimits);
    EXPECT_FALSE(budget.reserve({"192.0.2.1", {}}, 41));
    const auto one = budget.reserve({"192.0.2.1", {}}, 40);
    const auto other = budget.reserve({"192.0.2.2", {}}, 40);
    EXPECT_TRUE(one && other);
}

TEST(FairBudget, WithoutSharesOnlyTheTotalCounts) {
    FairBudget budget({.total = 10});
    {
        const auto max = budget.reserve({}, 8);
        ASSERT_TRUE(max);
        EXPECT_FALSE(budget.reserve({}, 3));
        EXPECT_TRUE(budget.reserve({}, 2));
    }
    EXPECT_EQ(budget.used(), 0u);
    EXPECT_TRUE(budget.reserve({}, 10));
}

TEST(FairBudget, AReservationMayOutliveIt) {
    auto budget = std::make_unique<FairBudget>(FairBudget::Limits{.caller = 1});
    const auto left = budget->reserve(kAda, 1);
    EXPECT_FALSE(budget->reserve(kAda, 1));
    EXPECT_TRUE(budget->reserve(kVera, 1));
    budget.reset();
    EXPECT_EQ(left->amount(), 1u);
}

TEST(TieredBudget, KeepsAReserveForSmallOnes) {
    TieredBudget budget({.small = 10,
                         .of_small = {.total = 40, .team = 20, .caller = 20},
                         .of_large = {.total = 100, .team = 80, .caller = 80}});
    EXPECT_EQ(budget.max(), 90u);
    auto large = budget.open(kAda);
    EXPECT_TRUE(large.grow_to(90));
    EXPECT_EQ(large.amount(), 90u);
    auto second = budget.open(kAda);
    EXPECT_FALSE(second.grow_to(11));
    EXPECT_TRUE(second.grow_to(10));
    auto tom = budget.open(kTom);
    EXPECT_TRUE(tom.grow_to(30));
    EXPECT_FALSE(tom.grow_to(31));
}

using Steady = std::chrono::steady_clock;

// How often this thread goes to sleep while it computes, until it did so `enough` times or the time
// is over.
long pauses_of_computing(long enough, Steady::duration max) {
    const auto sleeps = [] {
        rusage used{};
        getrusage(RUSAGE_THREAD, &used);
        return used.ru_nvcsw;
    };
    const auto before = sleeps();
    const auto end = Steady::now() + max;
    while (Steady::now() < end && sleeps() - before < enough) {
    }
    return sleeps() - before;
}

long pauses_of_computing() { return pauses_of_computing(1, std::chrono::milliseconds(50)); }

TEST(BackgroundPriority, PausesWhileItExists) {
    std::thread([] {
        {
            const BackgroundPriority background_priority;
            // Within 2 ms on a free processor; others may take it for long.
            EXPECT_GE(pauses_of_computing(5, std::chrono::seconds(30)), 5);
        }
        EXPECT_EQ(0, pauses_of_computing());
    }).join();
}

TEST(BackgroundPriority, AffectsOnlyItsThread) {
    const auto nice = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
    const auto before = nice();
    std::thread([&nice, before] {
        const BackgroundPriority background_priority;
        EXPECT_GE(nice(), std::max(5, before));
    }).join();
    EXPECT_EQ(before, nice());
    EXPECT_EQ(0, pauses_of_computing());
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

std::size_t resident_bytes() {
    std::size_t total = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::size_t>(getpagesize());
}

TEST(ReturnMemory, FreedBlocksAreReturned) {
    constexpr std::size_t kMiB = 1024 * 1024;
    // Small enough to come out of the heap, which ends with a block that stays.
    std::vector<std::string> blocks(1024, std::string(64 * 1024, 'a'));
    const auto last = std::make_unique<int>(0);
    const auto held = resident_bytes();
    std::vector<std::string>().swap(blocks);
    return_freed_memory();
    EXPECT_GT(held, resident_bytes() + 48 * kMiB);
}

#endif
#endif

}  // namespace

}  // namespace plimsoll
