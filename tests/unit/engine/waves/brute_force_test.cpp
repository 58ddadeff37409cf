#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/naive.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::waves::testing {

// googletest shows counts by this.
void PrintTo(const NaiveCount& count, std::ostream* out) {
    *out << count.rule;
    for (int pivot : count.pivots) *out << ' ' << pivot;
}

namespace {

constexpr std::size_t kBars = 40;

int rounds() {
    return std::getenv("PLIMSOLL_LONG_TESTS") != nullptr ? 2000 : 60;
}

template <class Name>
std::vector<NaiveCount> found_counts(const Series& series, const Settings& settings, Name name) {
    std::vector<NaiveCount> out;
    for (const Found& found : all_counts(series, settings).counts)
        out.push_back({name(found), pivots(found)});
    std::ranges::sort(out);
    return out;
}

TEST(BruteForce, FindsTheSameInTheCompatibleMode) {
    std::size_t seen = 0;
    for (int round = 0; round < rounds(); ++round) {
        for (const Kind kind : {Kind::ohlc, Kind::close_only, Kind::coarse}) {
            const auto series = random_series(static_cast<std::uint64_t>(round), kBars, kind);
            for (const int up_to : {1, 3, 100}) {
                const auto expected = naive_compatible(series.low, series.high, up_to);
                ASSERT_EQ(found_counts(series, compatible_settings(up_to), compatible_rule),
                          expected)
                    << "seed " << round;
                seen += expected.size();
            }
        }
    }
    EXPECT_GT(seen, 1000u);
}

TEST(BruteForce, FindsTheSameInTheStandardMode) {
    std::map<std::string, int> seen;
    for (int round = 0; round < rounds(); ++round) {
        for (const Kind kind : {Kind::ohlc, Kind::close_only, Kind::coarse}) {
            const auto series = random_series(static_cast<std::uint64_t>(round), kBars, kind);
            const auto expected = naive_standard(series.low, series.high, 100);
            ASSERT_EQ(found_counts(series, {},
                                   [](const Found& found) {
                                       return std::string(to_string(found.shape)) +
                                              (found.rising ? " up" : " down");
                                   }),
                      expected)
                << "seed " << round;
            for (const auto& count : expected) ++seen[count.rule];
        }
    }
    // Every pattern in both directions was there to be found.
    EXPECT_EQ(seen.size(), 12u);
}

}  // namespace
}  // namespace plimsoll::waves::testing
