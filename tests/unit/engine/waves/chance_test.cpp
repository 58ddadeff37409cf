#include "engine/waves/significance/chance.hpp"

#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

// p-values of the best count of random walks, each judged by its own shuffles.
std::vector<double> p_values_of_random_walks(int walks, Kind kind, const Settings& settings) {
    constexpr std::uint32_t kSurrogates = 49;
    std::vector<double> p_values;
    for (int walk = 0; walk < walks; ++walk) {
        auto series = random_series(static_cast<std::uint64_t>(walk) + 1000, 100, kind);
        series.symbol = "walk " + std::to_string(walk);
        BarTable table;
        table.build(series.low, series.high);
        const auto itinerary = make_itinerary(table, series.close, 5, settings);
        const auto best = best_scores(table, itinerary, settings);
        const Rarity rarity = rarity_of(table, itinerary.longest_window(), settings);
        const Judged judged{.standing = best_standing(best, rarity)};
        Chance chance;
        std::vector<double> chance_best(kSurrogates);
        add_chances(SurrogateMaker(series, settings.method, 0), series, settings, 5, 0, kSurrogates,
                    {&judged, 1}, {&chance, 1}, chance_best);
        p_values.push_back(Chance::p_value(chance.k, kSurrogates));
    }
    return p_values;
}

// The largest distance between the share of p-values at or below p and p, over the p there can be.
double distance_from_uniform(std::vector<double> p_values) {
    std::ranges::sort(p_values);
    double farthest = 0;
    for (int k = 1; k <= 50; ++k) {
        const double p = k / 50.0;
        const auto below = std::ranges::upper_bound(p_values, p + 1e-9) - p_values.begin();
        farthest = std::max(
            farthest,
            std::abs(static_cast<double>(below) / static_cast<double>(p_values.size()) - p));
    }
    return farthest;
}

// How far that share exceeds p at most: what an honest p-value must not do.
double excess_over_uniform(const std::vector<double>& p_values) {
    double max = 0;
    for (int k = 1; k <= 50; ++k) {
        const double p = k / 50.0;
        const auto below =
            std::ranges::count_if(p_values, [p](double it) { return it <= p + 1e-9; });
        max = std::max(max, static_cast<double>(below) / static_cast<double>(p_values.size()) - p);
    }
    return max;
}

int walks() { return std::getenv("PLIMSOLL_LONG_TESTS") != nullptr ? 5000 : 200; }

// Weights that nobody measured rarities with: the statistic is the score.
Settings by_score() {
    Settings settings;
    settings.weights.value[0] += 1e-9;
    return settings;
}

// Kolmogorov and Smirnov: a distance above 1.95 / sqrt(n) comes up in one of a thousand samples of
// uniform values (discrete ones less often). The seeds are fixed, so the test always ends alike.
TEST(Chance, PValuesOfRandomWalksAreUniform) {
    const double limit = 1.95 / std::sqrt(walks());
    for (const Kind kind : {Kind::ohlc, Kind::close_only})
        EXPECT_LT(distance_from_uniform(p_values_of_random_walks(walks(), kind, by_score())),
                  limit);
    // Scores of the compatible mode go in steps and tie, and who ties is counted as doing as well:
    // there p-values may be too large, never too small.
    EXPECT_LT(excess_over_uniform(
                  p_values_of_random_walks(walks() / 4, Kind::ohlc, compatible_settings())),
              2 * limit);
}

// Across patterns: by the rarest count of the walk, whatever its pattern.
TEST(Chance, PValuesOfRaritiesAreUniform) {
    const double limit = 1.95 / std::sqrt(walks());
    for (const Kind kind : {Kind::ohlc, Kind::close_only})
        EXPECT_LT(distance_from_uniform(p_values_of_random_walks(walks(), kind, {})), limit);
}

// Blocks drawn with replacement would fail: repeated ones make perfect ratios, so chance does too
// well.
TEST(Chance, PValuesOfShuffledBlocksAreUniform) {
    Settings settings;
    settings.method = SurrogateMethod::block_bootstrap;
    EXPECT_LT(distance_from_uniform(p_values_of_random_walks(walks(), Kind::ohlc, settings)),
              1.95 / std::sqrt(walks()));
}

// The same test sees a statistic that is off by a little: scores of one search against those of
// another that was asked for more.
TEST(Chance, TheUniformityTestCanFail) {
    auto p_values = p_values_of_random_walks(200, Kind::ohlc, {});
    for (double& p : p_values) p = p * p;
    EXPECT_GT(distance_from_uniform(p_values), 1.95 / std::sqrt(200));
}

TEST(Surrogates, AShuffleHasTheSameBarsInAnotherOrder) {
    const auto series = random_series(3, 200);
    for (const auto method : {SurrogateMethod::shuffle, SurrogateMethod::block_bootstrap}) {
        const SurrogateMaker maker(series, method, 0);
        Series shuffled;
        maker.make(Random(1, "x", 0), shuffled);
        const auto returns = [](const Series& s) {
            std::vector<double> out;
            for (std::size_t i = 1; i < s.size(); ++i)
                out.push_back(std::log(s.close[i] / s.close[i - 1]));
            return out;
        };
        auto before = returns(series);
        auto after = returns(shuffled);
        EXPECT_NE(before, after);
        std::ranges::sort(before);
        std::ranges::sort(after);
        // Prices are rounded to four decimals.
        for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-5);
    }
}

TEST(Surrogates, AreValidSeriesLikeTheOriginal) {
    for (const auto kind : {Kind::ohlc, Kind::close_only, Kind::coarse}) {
        const auto series = random_series(4, 300, kind);
        for (const auto method : {SurrogateMethod::shuffle, SurrogateMethod::block_bootstrap,
                                  SurrogateMethod::random_walk}) {
            const SurrogateMaker maker(series, method, 0);
            Series it;
            double spread = 0;
            double own_spread = 0;
            for (std::uint64_t number = 0; number < 20; ++number) {
                maker.make(Random(1, "x", number), it);
                ASSERT_EQ(it.size(), series.size());
                for (std::size_t i = 0; i < it.size(); ++i) {
                    EXPECT_GT(it.low[i], 0);
                    EXPECT_GE(it.high[i], it.low[i]);
                    if (kind == Kind::close_only) EXPECT_EQ(it.high[i], it.close[i]);
                    spread += (it.high[i] - it.low[i]) / it.close[i];
                    own_spread += (series.high[i] - series.low[i]) / series.close[i];
                }
            }
            EXPECT_NEAR(spread, own_spread, 0.1 * own_spread + 1e-12);
        }
    }
}

TEST(Surrogates, DependOnSeedSymbolAndNumberAlone) {
    const auto series = random_series(3, 50);
    const SurrogateMaker maker(series, SurrogateMethod::block_bootstrap, 5);
    const auto closes = [&](std::uint64_t seed, std::string_view symbol, std::uint64_t number) {
        Series it;
        maker.make(Random(seed, symbol, number), it);
        return it.close;
    };
    EXPECT_EQ(closes(1, "A", 2), closes(1, "A", 2));
    EXPECT_NE(closes(1, "A", 2), closes(2, "A", 2));
    EXPECT_NE(closes(1, "A", 2), closes(1, "B", 2));
    EXPECT_NE(closes(1, "A", 2), closes(1, "A", 3));
}

TEST(Surrogates, RandomNumbersAreTheSameEverywhere) {
    Random random(1, "DAX", 7);
    // Computed once by an implementation of SplitMix64 and FNV-1a in Python.
    EXPECT_EQ(random.bits(), 1688566828161719695ull);
}

TEST(FalseDiscoveryRates, AreThoseOfBenjaminiAndHochberg) {
    const double p_values[] = {0.01, 0.04, 0.03, 0.005};
    EXPECT_THAT(false_discovery_rates(p_values),
                ::testing::ElementsAre(::testing::DoubleEq(0.02), ::testing::DoubleEq(0.04),
                                       ::testing::DoubleEq(0.04), ::testing::DoubleEq(0.02)));
    EXPECT_TRUE(false_discovery_rates({}).empty());
}

}  // namespace
}  // namespace plimsoll::waves::testing
