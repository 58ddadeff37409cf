#include "engine/waves/ranking/outlook.hpp"
#include "engine/waves/ranking/rank.hpp"
#include "engine/waves/scoring/rarity.hpp"
#include "engine/waves/search/patterns.hpp"
#include "tests/unit/engine/waves/rarity_walks.hpp"

#include <algorithm>
#include <cstdlib>
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

TEST(Outlook, SaysWhichTargetsWereReachedAndWhetherTheCountIsLive) {
    const auto& impulse = standard::kPatterns.patterns[0];
    Rise rise;
    rise.bars[6].high = 123;  // 0.618 x wave 1 is 122.18
    const auto up = outlook(impulse, rise.path, 4, true, 120, 9);
    EXPECT_EQ(up.targets[0].reached, 6);
    EXPECT_EQ(up.targets[0].risk_multiple, 0);
    EXPECT_EQ(up.targets[1].reached, -1);
    EXPECT_TRUE(up.live);

    Rise spent;
    spent.bars[5].high = 200;
    EXPECT_FALSE(outlook(impulse, spent.path, 4, true, 120, 9).live);
    Rise broken;
    broken.bars[6].low = 115;
    EXPECT_FALSE(outlook(impulse, broken.path, 4, true, 120, 9).live);
    // Four bars long: five bars later it is over.
    Rise old;
    old.bars.resize(10, old.bars.back());
    old.path.bars = old.bars.data();
    EXPECT_FALSE(outlook(impulse, old.path, 4, true, 120, 10).live);
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

namespace plimsoll::waves::testing::rarity_test {
namespace {

constexpr int kWalks = 300;
constexpr std::size_t kBars = 400;

SearchResult counts_of_walk(int walk, Kind kind, const Settings& settings = {}) {
    // None of the seeds that the table was measured with.
    return all_counts(random_series(900'000'000 + static_cast<std::uint64_t>(walk), kBars, kind),
                      settings);
}

// Fewer walks than the table was made of, and none of the longest, whose counts share so many waves
// that few walks say little. The long test makes the table again.
TEST(Rarity, TheTableMatchesRandomWalks) {
    const bool again = std::getenv("PLIMSOLL_LONG_TESTS") != nullptr;
    const RarityWalks few{{1500, 800, 400, 200, 100, 1, 1}, 400};
    const auto measured = measured_rows(again ? kRarityWalks : few);
    ASSERT_EQ(measured.size(), kRarityRows.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const RarityRow& row = measured[i];
        const RarityRow& table = kRarityRows[i];
        SCOPED_TRACE(std::string(to_string(row.shape)) + " " + std::to_string(row.waves));
        EXPECT_EQ(row.shape, table.shape);
        EXPECT_EQ(row.waves, table.waves);
        EXPECT_EQ(row.finished, table.finished);
        for (std::size_t n = 0; n < kRarityLengths.size(); ++n) {
            if (!again && kRarityLengths[n] > 1000) continue;
            const double apart = again ? 1e-4 : kRarityLengths[n] == 1000 ? 0.4 : 0.2;
            EXPECT_NEAR(row.of_bars[n], table.of_bars[n], apart) << kRarityLengths[n];
            EXPECT_NEAR(row.of_closes[n], table.of_closes[n], apart) << kRarityLengths[n];
        }
        for (std::size_t step = 0; step < kRaritySteps; ++step)
            if (again || row.reached[step] > 0)
                EXPECT_NEAR(row.reached[step], table.reached[step], again ? 1e-4 : 0.03) << step;
    }
}

// On walks that the table has not seen: e^-r counts of each pattern reach the rarity r.
TEST(Rarity, PredictsTheCountsOfOtherRandomWalks) {
    for (const Kind kind : {Kind::ohlc, Kind::close_only}) {
        std::map<Shape, std::array<int, 4>> reached;
        for (int walk = 0; walk < kWalks; ++walk)
            for (const Found& it : counts_of_walk(walk, kind).counts)
                for (int rarity = -2; rarity < 2; ++rarity)
                    reached[it.shape][static_cast<std::size_t>(rarity + 2)] +=
                        it.standing >= rarity;
        for (const auto& [shape, counts] : reached) {
            for (int rarity = -2; rarity < 2; ++rarity) {
                const double found = counts[static_cast<std::size_t>(rarity + 2)];
                const double expected = 2 * kWalks * expected_counts(rarity);
                EXPECT_LT(std::abs(std::log(found / expected)), 0.35)
                    << to_string(shape) << " " << rarity << ": " << found << ", not " << expected;
            }
        }
    }
}

// What it is for: by their scores, zigzags take nearly all first places on random walks.
TEST(Rarity, LetsEveryPatternRankFirst) {
    std::map<Shape, int> first_by_score, first_by_rarity;
    Settings by_score;
    by_score.weights.value[0] += 1e-9;  // weights of one's own
    ASSERT_FALSE(by_score.by_rarity());
    for (int walk = 0; walk < kWalks; ++walk) {
        ++first_by_rarity[counts_of_walk(walk, Kind::ohlc).counts.front().shape];
        ++first_by_score[counts_of_walk(walk, Kind::ohlc, by_score).counts.front().shape];
    }
    EXPECT_GT(first_by_score[Shape::zigzag], kWalks * 9 / 10);
    for (const Pattern& pattern : standard::kPatterns.patterns) {
        EXPECT_GT(first_by_rarity[pattern.shape], kWalks / 20) << to_string(pattern.shape);
        EXPECT_LT(first_by_rarity[pattern.shape], kWalks / 3) << to_string(pattern.shape);
    }
}

TEST(Rarity, RisesWithTheScoreAndBack) {
    const Rarity rarity(500, 84, false);
    for (const RarityRow& row : kRarityRows) {
        double before = -1e9;
        for (int i = 0; i <= 1000; ++i) {
            const double score = i / 1000.0;
            const double standing = rarity.standing(row.shape, row.waves, score);
            EXPECT_GT(standing, before);
            before = standing;
            EXPECT_NEAR(rarity.min_score(row.shape, row.waves, standing), score, 1e-5);
            EXPECT_LE(rarity.min_score(row.shape, row.waves, standing), score);
        }
        EXPECT_TRUE(std::isfinite(before));
    }
}

TEST(Rarity, IsUnknownToTheCompatibleModeAndToOtherWeights) {
    Settings settings;
    EXPECT_TRUE(settings.by_rarity());
    settings.weights.value[1] = 0.3;
    EXPECT_FALSE(settings.by_rarity());
    EXPECT_FALSE(compatible_settings().by_rarity());
    for (const Found& it : all_counts(random_series(5, 200), compatible_settings()).counts)
        EXPECT_EQ(it.standing, it.score);
}

// As many windows as fit beside each other hold as many counts as so many short walks.
TEST(Rarity, OfWindowsIsThatOfShortWalksTogether) {
    const double one = Rarity(60, 60, false).standing(Shape::impulse, 5, 0.8);
    EXPECT_NEAR(Rarity(600, 60, false).standing(Shape::impulse, 5, 0.8), one - std::log(10), 1e-9);
    EXPECT_LT(Rarity(600, 600, false).standing(Shape::impulse, 5, 0.8), one - std::log(10));
}

// A small pool keeps what the largest would rank first, though its floors are scores.
TEST(Rarity, ASmallPoolKeepsTheRarest) {
    for (const Kind kind : {Kind::ohlc, Kind::coarse}) {
        const auto series = random_series(11, 400, kind);
        BarTable table;
        table.build(series.low, series.high);
        const Settings settings;
        const auto itinerary = make_itinerary(table, series.close, 5, settings);
        const auto few = search(table, itinerary, settings, 20).value().counts;
        const auto all = all_counts(series, settings).counts;
        ASSERT_EQ(few.size(), 20u);
        for (std::size_t i = 0; i < few.size(); ++i) {
            EXPECT_TRUE(few[i].same_count(all[i]));
            EXPECT_EQ(few[i].standing, all[i].standing);
        }
    }
}

}  // namespace

}  // namespace plimsoll::waves::testing::rarity_test
