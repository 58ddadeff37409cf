#include "engine/waves/scan/tracker.hpp"

#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

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
