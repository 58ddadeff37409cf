// Whole reports: of one, two and three threads, and of both flavours on PoCL.

#include "engine/waves/report/scan.hpp"

#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/random_series.hpp"
#include "tests/unit/engine/waves_device/tested_device.hpp"

#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

std::vector<SymbolPrices> symbols_of_all_kinds() {
    std::vector<SymbolPrices> symbols;
    for (const Kind kind : {Kind::ohlc, Kind::close_only, Kind::coarse}) {
        for (const std::size_t bars : {3, 60, 250}) {
            SymbolPrices it;
            it.series = random_series(symbols.size(), bars, kind);
            it.series.symbol = "S" + std::to_string(symbols.size());
            symbols.push_back(std::move(it));
        }
    }
    symbols[4].errors.push_back({12, "The row cannot be used."});
    symbols[4].error_count = 1;
    return symbols;
}

std::vector<SymbolReport> scanned(const Settings& settings, SearchDevice* device) {
    Progress progress;
    auto reports = scan(symbols_of_all_kinds(), settings, progress, {}, {.device = device});
    EXPECT_TRUE(reports);
    EXPECT_EQ(progress.done(), progress.total());
    return std::move(*reports);
}

void expect_same(const std::optional<Chance>& a, const std::optional<Chance>& b) {
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) return;
    EXPECT_EQ(a->k, b->k);
    EXPECT_EQ(a->k_kind, b->k_kind);
}

void expect_same(const std::vector<CountReport>& a, const std::vector<CountReport>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_TRUE(a[i].count.same_count(b[i].count));
        EXPECT_EQ(a[i].count.score, b[i].count.score);
        EXPECT_EQ(a[i].skips, b[i].skips);
        EXPECT_EQ(a[i].alternates.size(), b[i].alternates.size());
        expect_same(a[i].chance, b[i].chance);
    }
}

void expect_same(const std::vector<SymbolReport>& a, const std::vector<SymbolReport>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        SCOPED_TRACE(a[i].symbol);
        EXPECT_EQ(a[i].error_count, b[i].error_count);
        expect_same(a[i].counts, b[i].counts);
        expect_same(a[i].open, b[i].open);
        ASSERT_EQ(a[i].kinds.size(), b[i].kinds.size());
        for (std::size_t k = 0; k < a[i].kinds.size(); ++k) {
            EXPECT_EQ(a[i].kinds[k].best, b[i].kinds[k].best);
            EXPECT_EQ(a[i].kinds[k].valid, b[i].kinds[k].valid);
            expect_same(a[i].kinds[k].chance, b[i].kinds[k].chance);
        }
        EXPECT_EQ(a[i].coverage.nodes, b[i].coverage.nodes);
        EXPECT_EQ(a[i].coverage.pruned, b[i].coverage.pruned);
        EXPECT_EQ(a[i].ranking_cut, b[i].ranking_cut);
        EXPECT_EQ(a[i].surrogates, b[i].surrogates);
        EXPECT_EQ(a[i].chance_best, b[i].chance_best);
        EXPECT_EQ(a[i].false_discovery_rate, b[i].false_discovery_rate);
    }
}

void expect_the_same_reports(Settings settings) {
    settings.threads = 1;
    settings.use_gpu = UseGpu::never;
    const auto expected = scanned(settings, nullptr);
    EXPECT_EQ(expected.back().computed_by, "processor");
    for (const int threads : {2, 3}) {
        settings.threads = threads;
        expect_same(scanned(settings, nullptr), expected);
    }
    settings.use_gpu = UseGpu::always;
    for (const Flavour* flavour : {&kCpuFlavour, &kGpuFlavour}) {
        SCOPED_TRACE(flavour->name);
        const auto reports = scanned(settings, &search_on(*flavour));
        expect_same(reports, expected);
        EXPECT_EQ(reports.back().computed_by,
                  to_string(opencl::tested_address()) + " (" + std::string(flavour->name) + ")");
        EXPECT_EQ(reports.back().computed_why, "use_gpu is true.");
    }
}

TEST(OpenclScan, ReportsTheSameOnEveryDevice) {
    Settings settings;
    settings.surrogates = 40;
    expect_the_same_reports(settings);
    settings.method = SurrogateMethod::random_walk;
    settings.top_n = 3;
    settings.max_overlap = 0;  // most of what is found overlaps: pools must grow
    expect_the_same_reports(settings);
}

TEST(OpenclScan, ReportsTheSameInTheCompatibleMode) {
    Settings settings = compatible_settings();
    settings.surrogates = 40;
    settings.method = SurrogateMethod::block_bootstrap;
    expect_the_same_reports(settings);
    settings.top_n = 0;
    settings.surrogates = 0;
    expect_the_same_reports(settings);
}

TEST(OpenclScan, ReportsTheSameInWindowsFromChosenPoints) {
    Settings settings;
    settings.windowed = true;
    settings.every_bar = false;
    settings.window_overlap = 0.5;
    settings.surrogates = 20;
    expect_the_same_reports(settings);
}

}  // namespace
}  // namespace plimsoll::waves::testing
