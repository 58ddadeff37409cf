#include "engine/waves/report/follower.hpp"

#include "engine/waves/report/scan.hpp"
#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

void expect_same(const std::vector<CountReport>& followed, const std::vector<CountReport>& found) {
    ASSERT_EQ(followed.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_TRUE(followed[i].count.same_count(found[i].count));
        EXPECT_EQ(followed[i].count.score, found[i].count.score);
        EXPECT_EQ(followed[i].count.standing, found[i].count.standing);
        EXPECT_EQ(followed[i].outlook.invalidated, found[i].outlook.invalidated);
        EXPECT_EQ(followed[i].alternates.size(), found[i].alternates.size());
    }
}

TEST(Follower, EqualsASearchOfAllBarsAfterEveryBar) {
    for (const Settings& settings : {Settings{}, compatible_settings()}) {
        const auto series = random_series(11, 160);
        Follower follower(settings);
        std::uint64_t nodes = 0;
        std::uint64_t whole = 0;
        for (std::size_t bar = 0; bar < series.size(); ++bar) {
            const auto step = follower.add(series, bar);
            ASSERT_TRUE(step.has_value());
            if (bar < 3) continue;  // too few for a report
            SymbolPrices part{.series = series, .errors = {}, .flags = {}};
            for (auto* column :
                 {&part.series.open, &part.series.high, &part.series.low, &part.series.close})
                column->resize(bar + 1);
            part.series.time.resize(bar + 1);
            const auto searched = scan_symbol(part, settings);
            ASSERT_TRUE(searched->ok());
            expect_same(follower.report().counts, searched->counts);
            expect_same(follower.report().open, searched->open);
            EXPECT_EQ(step->effort.whole_nodes, searched->coverage.nodes);
            nodes += step->effort.nodes;
            whole += step->effort.whole_nodes;
        }
        EXPECT_LT(nodes * 10, whole);  // of short series
    }
}

TEST(Follower, ReportsTheChangesOfABar) {
    const auto series = random_series(12, 120);
    Follower follower({});
    std::vector<CountReport> before;
    std::size_t came = 0;
    std::size_t broken = 0;
    for (std::size_t bar = 0; bar < series.size(); ++bar) {
        const auto step = follower.add(series, bar);
        ASSERT_TRUE(step.has_value());
        const auto& now = follower.report().counts;
        EXPECT_EQ(before.size() + step->added.size(), now.size() + step->removed.size());
        for (const CountReport& it : step->broken) EXPECT_TRUE(it.outlook.invalidated);
        came += step->added.size();
        broken += step->broken.size();
        before = now;
    }
    EXPECT_GT(came, 10u);
    EXPECT_GT(broken, 0u);
}

TEST(Follower, TakesManyBarsAtOnce) {
    const auto series = random_series(13, 150);
    Follower one({});
    Follower many({});
    for (std::size_t bar = 0; bar < 149; ++bar) ASSERT_TRUE(one.add(series, bar).has_value());
    ASSERT_TRUE(many.take(series, 0, 149).has_value());
    EXPECT_EQ(one.held(), many.held());
    const auto last = one.add(series, 149);
    const auto same = many.add(series, 149);
    expect_same(one.report().counts, many.report().counts);
    EXPECT_EQ(last->effort.nodes, same->effort.nodes);
}

TEST(Follower, RefusesBarsThatDoNotFollow) {
    const auto series = random_series(13, 20);
    auto undated = series;
    undated.time.clear();
    Follower follower({});
    EXPECT_TRUE(follower.add(series, 4).has_value());
    EXPECT_FALSE(follower.add(series, 4).has_value());
    EXPECT_FALSE(follower.add(undated, 5).has_value());
    EXPECT_TRUE(follower.add(series, 5).has_value());
}

TEST(Follower, StopsAtTheLimitOfNodes) {
    const auto series = random_series(14, 300);
    const auto taken = Follower({}, 1000).take(series, 0, series.size());
    ASSERT_FALSE(taken.has_value());
    EXPECT_EQ(taken.error().code, Errc::too_large);
}

TEST(Followable, NamesTheKeyThatPreventsIt) {
    EXPECT_TRUE(followable({}).has_value());
    Settings settings;
    settings.surrogates = 10;
    EXPECT_EQ(followable(settings).error().where, "/surrogates");
    settings = {};
    settings.windowed = true;
    EXPECT_EQ(followable(settings).error().where, "/windows");
}

}  // namespace
}  // namespace plimsoll::waves::testing
