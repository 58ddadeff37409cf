#include "engine/opencl/memory/free_ranges.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::opencl {
namespace {

TEST(FreeRanges, NeighboursJoinInWhateverOrderTheyComeBack) {
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        FreeRanges free(1000);
        std::vector<FreeRanges::Range> taken;
        while (const auto range = free.take(1 + random() % 90)) taken.push_back(*range);
        std::ranges::shuffle(taken, random);
        for (const auto& range : taken) free.give_back(range);
        EXPECT_EQ(free.free(), 1000U);
        EXPECT_EQ(free.largest(), 1000U);
    }
}

TEST(FreeRanges, RangesNeverOverlapAndAreNeverLost) {
    std::mt19937 random(8);
    FreeRanges free(4096);
    std::vector<FreeRanges::Range> taken;
    std::uint64_t used = 0;
    for (int step = 0; step < 20'000; ++step) {
        if (random() % 2 == 0) {
            if (const auto range = free.take(1 + random() % 300)) {
                for (const auto& other : taken) {
                    ASSERT_TRUE(range->offset + range->bytes <= other.offset ||
                                other.offset + other.bytes <= range->offset);
                }
                used += range->bytes;
                taken.push_back(*range);
            }
        } else if (!taken.empty()) {
            std::swap(taken[random() % taken.size()], taken.back());
            free.give_back(taken.back());
            used -= taken.back().bytes;
            taken.pop_back();
        }
        ASSERT_EQ(free.free() + used, 4096U);
    }
}

TEST(FreeRanges, WhatDoesNotFitInOnePieceIsNotGiven) {
    FreeRanges free(100);
    const auto first = free.take(40);
    const auto second = free.take(20);
    ASSERT_TRUE(first && second);
    free.give_back(*first);  // 40 and 40 are free now, apart
    EXPECT_EQ(free.free(), 80U);
    EXPECT_EQ(free.largest(), 40U);
    EXPECT_FALSE(free.take(41));
    EXPECT_FALSE(free.take(0));
}

}  // namespace
}  // namespace plimsoll::opencl
