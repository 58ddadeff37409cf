#include "engine/waves/report/scan.hpp"

#include "engine/waves/report/check_count.hpp"
#include "engine/waves/scan/tracker.hpp"
#include "engine/waves/settings/keys.hpp"
#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/naive.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

std::vector<SymbolPrices> random_symbols(std::size_t count, std::size_t bars) {
    std::vector<SymbolPrices> symbols(count);
    for (std::size_t i = 0; i < count; ++i) {
        symbols[i].series = random_series(i, bars);
        symbols[i].series.symbol = "S" + std::to_string(i);
    }
    return symbols;
}

std::vector<SymbolReport> scanned(std::vector<SymbolPrices> symbols, const Settings& settings) {
    Progress progress;
    auto reports = scan(std::move(symbols), settings, progress);
    EXPECT_TRUE(reports.has_value());
    EXPECT_EQ(progress.done(), progress.total());
    return std::move(*reports);
}

TEST(Scan, IsTheSameForAnyNumberOfThreads) {
    Settings settings;
    settings.surrogates = 70;
    settings.threads = 1;
    const auto one = scanned(random_symbols(5, 200), settings);
    settings.threads = 4;
    const auto four = scanned(random_symbols(5, 200), settings);
    for (std::size_t i = 0; i < one.size(); ++i) {
        ASSERT_EQ(one[i].counts.size(), four[i].counts.size());
        for (std::size_t c = 0; c < one[i].counts.size(); ++c) {
            EXPECT_TRUE(one[i].counts[c].count.same_count(four[i].counts[c].count));
            EXPECT_EQ(one[i].counts[c].count.score, four[i].counts[c].count.score);
            EXPECT_EQ(one[i].counts[c].chance->k, four[i].counts[c].chance->k);
            EXPECT_EQ(one[i].counts[c].chance->k_kind, four[i].counts[c].chance->k_kind);
        }
        EXPECT_EQ(one[i].chance_best, four[i].chance_best);
        EXPECT_EQ(one[i].coverage.nodes, four[i].coverage.nodes);
        EXPECT_EQ(one[i].coverage.pruned, four[i].coverage.pruned);
        EXPECT_EQ(one[i].false_discovery_rate, four[i].false_discovery_rate);
    }
}

TEST(Scan, BrokenSymbolsAreErrorsAndTheOthersAreScored) {
    auto symbols = random_symbols(20, 60);
    for (std::size_t broken : {3u, 7u, 19u}) {
        symbols[broken].errors.push_back({12, "The row cannot be used."});
        symbols[broken].error_count = 1;
    }
    symbols[5].series = random_series(1, 1);
    const auto reports = scanned(std::move(symbols), {});
    std::set<std::size_t> failed;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        if (!reports[i].ok()) failed.insert(i);
        EXPECT_EQ(reports[i].ok(), reports[i].coverage.nodes > 0);
    }
    EXPECT_THAT(failed, ::testing::ElementsAre(3, 5, 7, 19));
    EXPECT_THAT(reports[5].errors.front().message, ::testing::HasSubstr("1 bar;"));
}

TEST(Scan, StopsWhenAsked) {
    std::stop_source stop;
    stop.request_stop();
    Progress progress;
    const auto reports = scan(random_symbols(3, 100), {}, progress, stop.get_token());
    ASSERT_FALSE(reports.has_value());
    EXPECT_EQ(reports.error().code, Errc::cancelled);
}

TEST(Scan, AMillionBarsCannotBeSearchedAsAWhole) {
    std::vector<SymbolPrices> symbols(1);
    symbols[0].series = random_series(1, 100);
    Series& series = symbols[0].series;
    for (auto* column : {&series.open, &series.high, &series.low, &series.close})
        column->resize(1'000'000, 100);
    series.time.clear();
    const auto reports = scanned(std::move(symbols), {});
    EXPECT_THAT(reports[0].errors.front().message, ::testing::HasSubstr("1000000 bars"));
}

// Every window as a series of its own, searched naively: nothing of the bars outside may show.
TEST(Scan, WindowsEndAtTheirBounds) {
    const auto series = random_series(11, 70);
    Settings settings = compatible_settings();
    settings.windowed = true;
    settings.bars_per_week = 5;
    settings.max_weeks = 6;
    settings.min_weeks = 3;
    BarTable table;
    table.build(series.low, series.high);
    const auto itinerary = make_itinerary(table, series.close, 5, settings);
    ASSERT_GT(itinerary.windows.size(), 5u);
    std::set<std::pair<std::string, std::vector<int>>> expected;
    std::uint64_t found_in_windows = 0;
    for (const Window& window : itinerary.windows) {
        const auto part = [&](const std::vector<double>& prices) {
            return std::vector(prices.begin() + window.begin, prices.begin() + window.end);
        };
        for (auto& count : naive_compatible(part(series.low), part(series.high), 100)) {
            for (int& pivot : count.pivots) pivot += window.begin;
            expected.emplace(count.rule, count.pivots);
            ++found_in_windows;
        }
    }
    const auto result = search(table, itinerary, settings, 100'000).value();
    std::set<std::pair<std::string, std::vector<int>>> found;
    for (const Found& count : result.counts) found.emplace(compatible_rule(count), pivots(count));
    EXPECT_EQ(found, expected);
    EXPECT_EQ(found.size(), result.counts.size()) << "a count is listed once";
    std::uint64_t valid = 0;
    for (std::uint64_t count : result.coverage.valid) valid += count;
    EXPECT_EQ(valid, found_in_windows);
}

TEST(Scan, TheBestScoresAloneAreThoseOfTheFullSearch) {
    for (const Mode mode : {Mode::standard, Mode::compatible}) {
        Settings settings = mode == Mode::standard ? Settings{} : compatible_settings();
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto series = random_series(seed, 150);
            BarTable table;
            table.build(series.low, series.high);
            const auto itinerary = make_itinerary(table, series.close, 5, settings);
            // A pool of one makes the full search skip all it can, too.
            const auto full = search(table, itinerary, settings, 1).value();
            EXPECT_EQ(best_scores(table, itinerary, settings), full.best);
            const auto all = search(table, itinerary, settings, 1'000'000).value();
            EXPECT_EQ(all.best, full.best);
            ASSERT_FALSE(all.counts.empty());
            EXPECT_TRUE(all.counts.front().same_count(full.counts.front()));
        }
    }
}

TEST(Scan, ScoresAreTheMeanOfTheirParts) {
    Settings settings;
    settings.top_n = 0;
    const auto reports = scanned(random_symbols(1, 200), settings);
    ASSERT_GT(reports[0].counts.size(), 50u);
    for (const auto& list : {reports[0].counts, reports[0].open}) {
        for (const CountReport& it : list) {
            EXPECT_NEAR(it.count.score, total(it.parts, settings.weights), 1e-12);
            for (std::size_t part = 0; part < kParts; ++part) {
                EXPECT_GE(it.parts.value[part], 0);
                EXPECT_LE(it.parts.value[part], 1);
            }
            for (const RuleMargin& rule : it.rules)
                if (rule.margin) EXPECT_GE(*rule.margin, 0) << rule.name;
            for (int skip : it.skips) EXPECT_GE(skip, 0);
        }
    }
}

TEST(Scan, CapsShowInTheCoverage) {
    Settings settings;
    EXPECT_TRUE(scanned(random_symbols(1, 200), settings)[0].coverage.complete());
    settings.up_to = 1;
    EXPECT_FALSE(scanned(random_symbols(1, 200), settings)[0].coverage.complete());
    settings = {};
    settings.max_combinations = 50;
    const auto cut = scanned(random_symbols(1, 200), settings)[0].coverage;
    EXPECT_FALSE(cut.complete());
    EXPECT_EQ(cut.cut_windows, 2u);  // one in each direction
    settings = {};
    settings.pre_score_threshold = 0.9;
    EXPECT_GT(scanned(random_symbols(1, 200), settings)[0].coverage.filtered_starts, 0u);
    settings = {};
    settings.min_volatility = 1;
    const auto quiet = scanned(random_symbols(1, 200), settings)[0].coverage;
    EXPECT_EQ(quiet.quiet_windows, 1u);
    EXPECT_EQ(quiet.nodes, 0u);
}

TEST(Scan, GivenStartsAndPatternsAreTheOnlyOnes) {
    Settings settings;
    settings.start_bars = {10, -50};
    settings.top_n = 0;
    settings.shapes = 1u << static_cast<unsigned>(Shape::zigzag);
    settings.falling = false;
    std::set<int> starts;
    for (int seed = 0; seed < 30; ++seed) {
        std::vector<SymbolPrices> one(1);
        one[0].series = random_series(static_cast<std::uint64_t>(seed), 150);
        const auto reports = scanned(std::move(one), settings);
        for (const CountReport& it : reports[0].counts) {
            starts.insert(it.count.begin());
            EXPECT_EQ(it.count.shape, Shape::zigzag);
            EXPECT_TRUE(it.count.rising);
        }
    }
    EXPECT_THAT(starts, ::testing::ElementsAre(10, 100));
}

// A count under way leaves the next wave possible: with the bars that make it, it is found whole.
TEST(Scan, CountsUnderWayBecomeFinishedOnes) {
    int finished = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto whole = random_series(seed, 160);
        Series part = whole;
        for (auto* column : {&part.open, &part.high, &part.low, &part.close}) column->resize(130);
        part.time.resize(130);
        std::set<std::vector<int>> later;
        for (const Found& count : all_counts(whole, {}).counts) {
            auto at = pivots(count);
            at.pop_back();
            later.insert(std::move(at));
        }
        for (const Found& open : all_counts(part, {}).open)
            finished += static_cast<int>(later.count(pivots(open)));
    }
    EXPECT_GT(finished, 20);
}

TEST(CheckCount, AgreesWithTheSearch) {
    const auto series = random_series(5, 120);
    for (const Found& found : all_counts(series, {}).counts) {
        const auto ends = pivots(found);
        const auto checked = check_count(series, found.shape, found.rising, ends, {});
        ASSERT_TRUE(checked.has_value());
        EXPECT_TRUE(checked->valid);
        EXPECT_NEAR(*checked->score, found.score, 1e-12);
        const auto* const others = waves_of(found.shape) == 5 ? "ave [ABC]" : "ave [1-5]";
        for (const CheckedRule& rule : checked->rules)
            EXPECT_THAT(rule.text, ::testing::Not(::testing::ContainsRegex(others)));
        // Its first wave alone moved by a bar ends nowhere, or breaks a rule.
        auto moved = ends;
        if (++moved[1] == moved[2]) continue;
        const auto wrong = check_count(series, found.shape, found.rising, moved, {});
        ASSERT_TRUE(wrong.has_value());
        EXPECT_FALSE(wrong->valid);
    }
}

// A bar does not say whether its low came before its high: the last bar of a wave up to its high
// may hold a low under the wave's start, the bar before may not.
TEST(CheckCount, OnlyTheBarsBeforeTheLastOfAWaveUndercutIt) {
    const auto undercut = [](std::size_t bar) {
        Series series;
        series.high = {10, 12, 14, 16, 18, 16, 14, 12};
        series.low = {9, 11, 13, 15, 15, 14, 12, 11};
        series.low[bar] = 8;  // under the start of the wave from bar 0 to bar 4
        series.close = series.open = series.high;
        const std::vector<std::int32_t> ends{0, 4};
        const auto checked = check_count(series, Shape::zigzag, true, ends, {}).value();
        const auto rule =
            std::ranges::find(checked.rules, "wave_a_not_undercut", &CheckedRule::name);
        return rule != checked.rules.end() && !rule->holds;
    };
    EXPECT_TRUE(undercut(3));
    EXPECT_FALSE(undercut(4));
}

TEST(CheckCount, ARarityAndAnOutlookAreThoseOfTheReport) {
    auto series = random_series(5, 200);
    Settings settings;
    settings.days = 150;
    const auto report =
        scan_symbol({.series = series, .errors = {}, .flags = {}}, settings).value();
    ASSERT_FALSE(report.counts.empty());
    for (const CountReport& it : report.counts) {
        auto ends = pivots(it.count);
        for (auto& end : ends) end += static_cast<std::int32_t>(report.offset);
        const auto checked =
            check_count(series, it.count.shape, it.count.rising, ends, settings).value();
        EXPECT_EQ(checked.rarity, it.count.standing);
        EXPECT_EQ(checked.outlook->invalidation, it.outlook.invalidation);
        EXPECT_EQ(checked.outlook->invalidated, it.outlook.invalidated);
        EXPECT_EQ(checked.prices, it.prices);
    }
}

TEST(CheckCount, ChecksTheFirstWavesOfACountInProgress) {
    const auto series = random_series(5, 120);
    const auto counts = all_counts(series, {}).counts;
    ASSERT_FALSE(counts.empty());
    auto ends = pivots(counts.front());
    const auto whole = check_count(series, counts.front().shape, counts.front().rising, ends, {});
    for (ends.pop_back(); ends.size() >= 2; ends.pop_back()) {
        const auto part =
            check_count(series, counts.front().shape, counts.front().rising, ends, {});
        ASSERT_TRUE(part.has_value());
        EXPECT_TRUE(part->valid);
        EXPECT_FALSE(part->whole());
        EXPECT_FALSE(part->score);
        EXPECT_LT(part->rules.size(), whole->rules.size());
    }
}

TEST(CheckCount, ReportsInvalidCounts) {
    const auto series = random_series(5, 50);
    const auto wrong = [&](std::vector<std::int32_t> ends, Shape shape = Shape::zigzag) {
        const auto checked = check_count(series, shape, true, ends, {});
        return checked ? std::string() : checked.error().where;
    };
    EXPECT_EQ(wrong({1, 5, 7, 12}), "");
    EXPECT_EQ(wrong({1}), "/ends");
    EXPECT_EQ(wrong({1, 5, 7, 12, 14}), "/ends");
    EXPECT_EQ(wrong({1, 5, 5, 12}), "/ends/2");
    EXPECT_EQ(wrong({-1, 5, 7, 12}), "/ends/0");
    EXPECT_EQ(wrong({1, 5, 7, 50}), "/ends/3");
    EXPECT_EQ(wrong({1, 2, 3, 4}, Shape::corrective), "/pattern");
}

TEST(CheckCount, DescribesTheDirection) {
    const auto series = random_series(5, 50);
    const auto text = [&](bool rising) {
        const auto ends = std::vector{1, 5, 7};
        const auto checked = check_count(series, Shape::impulse, rising, ends, {}).value();
        std::string all;
        for (const auto& rule : checked.rules) all += rule.text + "\n";
        return all;
    };
    EXPECT_NE(text(true).find("Wave 2 ends above the start"), std::string::npos);
    EXPECT_NE(text(false).find("Wave 2 ends below the start"), std::string::npos);
}

void expect_same(const std::vector<Found>& tracked, const std::vector<Found>& searched) {
    ASSERT_EQ(tracked.size(), searched.size());
    for (std::size_t i = 0; i < tracked.size(); ++i) {
        EXPECT_TRUE(tracked[i].same_count(searched[i]));
        EXPECT_EQ(tracked[i].score, searched[i].score);
    }
}

Series first_bars(const Series& series, std::size_t count) {
    Series part = series;
    for (auto* column : {&part.open, &part.high, &part.low, &part.close}) column->resize(count);
    part.time.resize(count);
    return part;
}

TEST(Tracker, EqualsAWholeSearchAfterEveryBar) {
    for (const auto& settings : {Settings{}, compatible_settings(), compatible_settings(2)}) {
        for (const Kind kind : {Kind::ohlc, Kind::close_only, Kind::coarse}) {
            const auto series = random_series(7, 120, kind);
            Tracker tracker(settings);
            for (std::size_t bar = 0; bar < series.size(); ++bar) {
                ASSERT_TRUE(tracker.append({&series.low[bar], 1}, {&series.high[bar], 1}));
                const auto whole = all_counts(first_bars(series, bar + 1), settings);
                expect_same(tracker.counts(), whole.counts);
                expect_same(tracker.open(), whole.open);
                EXPECT_EQ(tracker.effort().whole_nodes, whole.coverage.nodes);
            }
        }
    }
}

TEST(Tracker, ANewBarTriesAFewPerCentOfAWholeSearch) {
    for (const auto& settings : {Settings{}, compatible_settings()}) {
        const auto series = random_series(9, 500);
        Tracker tracker(settings);
        std::uint64_t nodes = 0;
        std::uint64_t whole = 0;
        for (std::size_t bar = 0; bar < series.size(); ++bar) {
            ASSERT_TRUE(tracker.append({&series.low[bar], 1}, {&series.high[bar], 1}));
            if (bar < 400) continue;
            nodes += tracker.effort().nodes;
            whole += tracker.effort().whole_nodes;
        }
        RecordProperty("per cent", std::to_string(100.0 * nodes / whole));
        EXPECT_LT(nodes * 50, whole);
    }
}

}  // namespace

}  // namespace plimsoll::waves::testing
