#include "engine/waves/ranking/outlook.hpp"
#include "engine/waves/ranking/pool.hpp"
#include "engine/waves/ranking/rank.hpp"
#include "engine/waves/search/patterns.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace plimsoll::waves {
namespace {

Found count(double score, std::int32_t begin, std::int32_t end) {
    Found found{.score = score, .standing = score, .shape = Shape::zigzag};
    found.waves = 3;
    found.at = {begin, begin + 1, begin + 2, end};
    return found;
}

TEST(Pool, KeepsTheBestWhateverTheOrder) {
    std::vector<Found> all;
    for (int i = 0; i < 1000; ++i) all.push_back(count((i * 37 % 100) / 100.0, i, i + 5));
    auto expected = all;
    std::ranges::sort(expected, better);
    expected.resize(50);
    std::mt19937_64 bits(1);
    for (int round = 0; round < 5; ++round) {
        for (std::size_t i = all.size(); i-- > 1;) std::swap(all[i], all[bits() % (i + 1)]);
        for (const bool repeats : {false, true}) {
            Pool pool(50, repeats);
            for (const Found& it : all) {
                pool.add(it);
                if (repeats) pool.add(it);  // as if found in two windows
            }
            const auto kept = pool.take();
            EXPECT_TRUE(pool.overflowed());
            ASSERT_EQ(kept.size(), expected.size());
            for (std::size_t i = 0; i < kept.size(); ++i)
                EXPECT_TRUE(kept[i].same_count(expected[i]));
        }
    }
}

TEST(Rank, OverlapIsOfSharedOverJointBars) {
    EXPECT_EQ(overlap(count(1, 0, 9), count(1, 0, 9)), 1);
    EXPECT_EQ(overlap(count(1, 0, 9), count(1, 10, 19)), 0);
    EXPECT_EQ(overlap(count(1, 0, 9), count(1, 5, 14)), 5.0 / 15);
}

TEST(Rank, KeepsTheBestOfOverlappingCountsAndTheRestAsAlternates) {
    const std::vector<Found> in_order = {count(0.9, 0, 10), count(0.8, 1, 10),  count(0.7, 0, 11),
                                         count(0.6, 1, 11), count(0.5, 30, 40), count(0.4, 60, 70)};
    const auto ranking = rank(in_order, 2, 0.5, 2);
    ASSERT_EQ(ranking.size(), 2u);
    EXPECT_EQ(ranking[0].count.score, 0.9);
    ASSERT_EQ(ranking[0].alternates.size(), 2u);
    EXPECT_EQ(ranking[0].alternates[0].score, 0.8);
    EXPECT_EQ(ranking[0].alternates[1].score, 0.7);
    EXPECT_EQ(ranking[1].count.score, 0.5);
    EXPECT_EQ(rank(in_order, 100, 1, 2).size(), in_order.size());
}

// Rises 100 to 110, back to 106, on to 122, back to 116: wave 5 is in progress.
struct Rise {
    std::vector<Bar> bars = std::vector<Bar>(9);
    Path path;

    Rise() {
        const double lows[] = {100, 108, 106, 120, 116, 117, 118, 119, 120};
        for (std::size_t i = 0; i < bars.size(); ++i) {
            bars[i].low = lows[i];
            bars[i].high = lows[i] + 2;
        }
        const std::int32_t ends[] = {0, 1, 2, 3, 4};
        path = make_path(bars, ends);
    }
};

TEST(Outlook, OfAFifthWaveUnderWay) {
    const Rise rise;
    const auto& impulse = standard::kPatterns.patterns[0];
    const auto up = outlook(impulse, rise.path, 4, true, 120, 9);
    EXPECT_TRUE(up.upward);
    EXPECT_EQ(up.invalidation, 116);
    EXPECT_FALSE(up.invalidated);
    ASSERT_EQ(up.targets.size(), 4u);
    EXPECT_DOUBLE_EQ(up.targets[1].price, 116 + 10);  // wave 5 as long as wave 1
    EXPECT_DOUBLE_EQ(up.targets[1].risk_multiple, 6.0 / 4);
    EXPECT_NEAR(up.targets[0].price, 116 + 6.18, 1e-9);

    Rise broken;
    broken.bars[6].low = 115;
    EXPECT_TRUE(outlook(impulse, broken.path, 4, true, 120, 9).invalidated);
}

TEST(Outlook, OfAFourthWaveUnderWayIsInvalidInsideTheFirst) {
    const Rise rise;
    const auto out = outlook(standard::kPatterns.patterns[0], rise.path, 3, true, 120, 9);
    EXPECT_FALSE(out.upward);
    EXPECT_EQ(out.invalidation, 110);
    EXPECT_FALSE(out.invalidated);
    EXPECT_NEAR(out.targets[1].price, 122 - 0.382 * 16, 1e-9);
}

}  // namespace
}  // namespace plimsoll::waves
