// The search in OpenCL against that in C++, in both flavours, on PoCL: whatever counts there are,
// they must be the same.

#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/random_series.hpp"
#include "tests/unit/engine/waves_device/tested_device.hpp"

#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

struct Walk {
    Series series;
    BarTable table;
    Itinerary itinerary;

    Walk(Series of, const Settings& settings) : series(std::move(of)) {
        table.build(series.low, series.high);
        itinerary = make_itinerary(table, series.close, 5, settings);
    }
};

void expect_same(const std::vector<Found>& got, const std::vector<Found>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(got[i].same_count(expected[i])) << "rank " << i;
        ASSERT_EQ(got[i].score, expected[i].score) << "rank " << i;
        ASSERT_EQ(got[i].standing, expected[i].standing);
        ASSERT_EQ(got[i].window_begin, expected[i].window_begin);
        ASSERT_EQ(got[i].window_end, expected[i].window_end);
    }
}

void expect_same(const SearchResult& got, const SearchResult& expected) {
    expect_same(got.counts, expected.counts);
    expect_same(got.open, expected.open);
    EXPECT_EQ(got.more, expected.more);
    EXPECT_EQ(got.best, expected.best);
    EXPECT_EQ(got.coverage.starts, expected.coverage.starts);
    EXPECT_EQ(got.coverage.windows, expected.coverage.windows);
    EXPECT_EQ(got.coverage.nodes, expected.coverage.nodes);
    EXPECT_EQ(got.coverage.pruned, expected.coverage.pruned);
    EXPECT_EQ(got.coverage.valid, expected.coverage.valid);
    EXPECT_EQ(got.coverage.cut_chains, expected.coverage.cut_chains);
    EXPECT_EQ(got.coverage.cut_windows, expected.coverage.cut_windows);
}

// Searches all series at once on both flavours and one by one on the processor.
void expect_same_results(const std::vector<Series>& all, const Settings& settings,
                         std::size_t keep) {
    std::vector<Walk> walks;
    for (const Series& series : all) walks.emplace_back(series, settings);
    std::vector<SearchInput> inputs;
    for (const Walk& walk : walks)
        inputs.push_back({walk.series.low, walk.series.high, &walk.itinerary, &walk.table});
    for (const Flavour* flavour : {&kCpuFlavour, &kGpuFlavour}) {
        SCOPED_TRACE(flavour->name);
        const auto found = search_on(*flavour).search(inputs, settings, keep, {});
        ASSERT_TRUE(found) << found.error().message;
        ASSERT_EQ(found->size(), walks.size());
        for (std::size_t i = 0; i < walks.size(); ++i) {
            SCOPED_TRACE("series " + std::to_string(i));
            expect_same((*found)[i],
                        search(walks[i].table, walks[i].itinerary, settings, keep).value());
        }
        if (settings.max_combinations > 0) continue;
        const auto scores = search_on(*flavour).best_scores(inputs, settings, {});
        ASSERT_TRUE(scores) << scores.error().message;
        for (std::size_t i = 0; i < walks.size(); ++i)
            EXPECT_EQ((*scores)[i], best_scores(walks[i].table, walks[i].itinerary, settings));
    }
}

std::vector<Series> walks_of_all_kinds(std::size_t bars, std::uint64_t rounds) {
    std::vector<Series> series;
    for (std::uint64_t seed = 0; seed < rounds; ++seed)
        for (const Kind kind : {Kind::ohlc, Kind::close_only, Kind::coarse})
            series.push_back(random_series(seed, bars, kind));
    return series;
}

TEST(OpenclSearch, FindsTheSameInTheStandardMode) {
    expect_same_results(walks_of_all_kinds(40, 20), {}, 100'000);
    expect_same_results(walks_of_all_kinds(300, 4), {}, 256);
}

TEST(OpenclSearch, FindsTheSameInTheCompatibleMode) {
    for (const int up_to : {0, 1, 3, 15}) {
        expect_same_results(walks_of_all_kinds(40, 10), compatible_settings(up_to), 100'000);
        expect_same_results(walks_of_all_kinds(300, 2), compatible_settings(up_to), 256);
    }
}

TEST(OpenclSearch, FindsTheSameInWindows) {
    for (Settings settings : {Settings{}, compatible_settings()}) {
        settings.windowed = true;
        settings.bars_per_week = 5;
        settings.max_weeks = 12;
        settings.window_overlap = 0.5;
        expect_same_results(walks_of_all_kinds(300, 2), settings, 64);
        settings.every_bar = false;
        settings.max_start_points = 8;
        expect_same_results(walks_of_all_kinds(300, 2), settings, 64);
    }
}

// Fewer are kept than there are: the first search only says from which score on they matter.
TEST(OpenclSearch, KeepsTheBestOfManyCounts) {
    for (Settings settings : {Settings{}, compatible_settings()})
        for (const std::size_t keep : {1u, 10u, 3000u})
            expect_same_results({random_series(5, 1500), random_series(6, 60)}, settings, keep);
}

TEST(OpenclSearch, SearchesForTheRequestedPatterns) {
    Settings settings;
    settings.shapes = 1u << static_cast<unsigned>(Shape::zigzag);
    settings.falling = false;
    expect_same_results(walks_of_all_kinds(200, 1), settings, 256);
    settings = compatible_settings();
    settings.rising = false;
    settings.weights.value = {0.3, 0.4, 0, 0, 0, 0.2, 0.3};
    expect_same_results(walks_of_all_kinds(200, 1), settings, 256);
    settings = {};
    settings.weights.value = {0.1, 0.2, 0.3, 0.2, 0.2, 0, 0};
    settings.start_bars = {0, 7, 50, -1};
    expect_same_results(walks_of_all_kinds(200, 1), settings, 256);
}

TEST(OpenclSearch, StopsWindowsWhereTheProcessorDoes) {
    Settings settings;
    for (const std::uint64_t max : {100u, 100'000u}) {
        settings.max_combinations = max;
        expect_same_results(walks_of_all_kinds(200, 1), settings, 256);
    }
}

TEST(OpenclSearch, StopsWhenAsked) {
    const Walk walk(random_series(1, 100), {});
    const SearchInput input{walk.series.low, walk.series.high, &walk.itinerary, &walk.table};
    std::stop_source stop;
    stop.request_stop();
    const auto found =
        search_on(kCpuFlavour).search({&input, 1}, {}, 10, Watch{stop.get_token(), nullptr});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::cancelled);
}

TEST(OpenclSearch, IsTestedBeforeItIsUsed) {
    for (const Mode mode : {Mode::standard, Mode::compatible}) {
        const auto rates = try_out(search_on(kGpuFlavour), mode);
        ASSERT_TRUE(rates) << rates.error().message;
        EXPECT_GT(rates->core_counted, 0);
        EXPECT_GT(rates->device_scored, 0);
    }
}

}  // namespace
}  // namespace plimsoll::waves::testing
