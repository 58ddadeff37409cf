#include "engine/waves/output/check.hpp"
#include "engine/waves/output/count_picture.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/output/text.hpp"
#include "engine/waves/output/words.hpp"
#include "engine/waves/report/scan.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::waves::output {
namespace {

using ::testing::HasSubstr;

std::vector<SymbolReport> reports(Settings settings = {}) {
    std::vector<SymbolPrices> symbols(2);
    symbols[0].series = testing::random_series(2, 200);
    symbols[0].series.symbol = "A<&>,\"x\"";
    symbols[1].series.symbol = "broken";
    symbols[1].errors.push_back({17, "The row cannot be used: its high is below its low."});
    symbols[1].error_count = 1;
    settings.surrogates = 20;
    settings.days = 150;
    Progress progress;
    return scan(std::move(symbols), settings, progress).value();
}

TEST(Json, HoldsTheCountWithTheFilesBars) {
    const auto all = reports();
    const auto json = symbol_json(all[0], false);
    EXPECT_EQ(json["first_bar"], 50);
    ASSERT_FALSE(json["counts"].empty());
    const auto whole = testing::random_series(2, 200);
    for (const auto& count : json["counts"]) {
        const auto& ends = count["pivots"];
        ASSERT_EQ(ends.size(), count["chart"]["values"].size());
        const bool up = count["direction"] == "up";
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const bool peak = (i % 2 == 1) == up;
            const auto bar = ends[i].get<std::size_t>();
            EXPECT_EQ(count["chart"]["values"][i], peak ? whole.high[bar] : whole.low[bar]);
        }
        EXPECT_EQ(count["waves"].size(), count["waves_done"]);
        const auto& chance = count["chance"];
        EXPECT_EQ(chance["p_value"], (chance["k"].get<int>() + 1) / 21.0);
        EXPECT_EQ(count["fib_score"], count["parts"]["fibonacci"]);
    }
    EXPECT_EQ(json["scan_stats"]["complete"], true);
    EXPECT_EQ(symbol_json(all[1], false)["errors"][0]["line"], 17);
}

TEST(Json, NamesTheRankingKey) {
    const auto rare = symbol_json(reports()[0], false);
    EXPECT_EQ(rare["ranked_by"], "rarity");
    EXPECT_FALSE(rare.contains("chance_best_scores"));
    EXPECT_EQ(rare["chance_best_rarities"].size(), 20);
    double before = std::numeric_limits<double>::infinity();
    for (const auto& count : rare["counts"]) {
        const double rarity = count["rarity"];
        EXPECT_LE(rarity, before);
        before = rarity;
        EXPECT_DOUBLE_EQ(count["expected_by_chance"], std::exp(-rarity));
        for (const auto& alternate : count["alternates"]) EXPECT_LE(alternate["rarity"], rarity);
        // k counts the chance series at least as rare.
        const auto k = std::ranges::count_if(rare["chance_best_rarities"], [&](const auto& best) {
            return best.template get<double>() >= rarity;
        });
        EXPECT_EQ(count["chance"]["k"], k);
    }

    Settings settings;
    settings.mode = Mode::compatible;
    settings.weights = Weights::compatible();
    const auto scored = symbol_json(reports(settings)[0], false);
    EXPECT_EQ(scored["ranked_by"], "score");
    EXPECT_EQ(scored["chance_best_scores"].size(), 20);
    EXPECT_TRUE(scored["counts"][0]["rarity"].is_null());
    EXPECT_TRUE(scored["counts"][0]["expected_by_chance"].is_null());
}

// The same counts in the same order in every format: what is live at the last bar first.
TEST(Output, LeadsWithWhatIsLiveAtTheLastBar) {
    int live = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::vector<SymbolPrices> symbols(1);
        symbols[0].series = testing::random_series(seed, 200);
        symbols[0].series.symbol = "S";
        Progress progress;
        const auto report = scan(std::move(symbols), Settings{}, progress).value().front();
        const auto json = symbol_json(report, false);
        const auto text = symbol_text(report);
        live += !report.live.empty();
        for (const auto& count : json["live"]) {
            EXPECT_TRUE(count["outlook"]["live"]);
            EXPECT_FALSE(count["outlook"]["invalidated"]);
            EXPECT_LE(199 - count["idx_end"].get<int>(),
                      count["idx_end"].get<int>() - count["idx_start"].get<int>());
            EXPECT_TRUE(std::ranges::any_of(count["outlook"]["targets"], [](const auto& target) {
                return !target.contains("reached");
            }));
        }
        EXPECT_THAT(text, HasSubstr(report.live.empty() ? "nothing is live at the last bar"
                                                        : "live at the last bar:"));
        EXPECT_THAT(text, HasSubstr("last close"));
    }
    EXPECT_GT(live, 3);
    EXPECT_LT(live, 21);
}

TEST(Words, NameOnlyRestrictionsThatApply) {
    Settings settings;
    settings.max_windows = 10;
    EXPECT_EQ(rarity_note(settings), "");
    settings.windowed = true;
    EXPECT_THAT(rarity_note(settings), HasSubstr("(max_windows)"));
}

TEST(Words, ExplainARarity) {
    EXPECT_EQ(rarity_words(std::log(20)), "about one random walk in 20 has such a count");
    EXPECT_EQ(rarity_words(-std::log(3.4)), "a random walk has about 3.4 such counts");
    EXPECT_EQ(rarity_words(-std::log(120)), "a random walk has about 120 such counts");
    EXPECT_EQ(rarity_words(10), "fewer than one random walk in 2,000 has such a count");
}

TEST(Svg, IsOneWellFormedPictureWithItsLabels) {
    const auto report = reports()[0];
    for (const auto& list : {report.counts, report.open}) {
        for (const CountReport& it : list) {
            const auto svg = drawing::svg_of(picture_of(chart_of(report, it)));
            EXPECT_EQ(std::ranges::count(svg, '<'), std::ranges::count(svg, '>'));
            EXPECT_THAT(svg, HasSubstr("A&lt;&amp;&gt;,&quot;x&quot;"));
            EXPECT_THAT(svg, ::testing::Not(HasSubstr("nan")));
            EXPECT_THAT(svg, HasSubstr(">0</text>"));
        }
    }
}

// Width and height stand in the header chunk, most significant byte first.
TEST(Png, IsAPictureOfTwiceTheSize) {
    const auto report = reports()[0];
    const auto png = drawing::png_of(picture_of(chart_of(report, report.counts.front())));
    ASSERT_TRUE(png.has_value()) << png.error().message;
    ASSERT_GT(png->size(), 10'000u);
    EXPECT_EQ(png->substr(0, 8), "\x89PNG\r\n\x1a\n");
    const auto number = [&](std::size_t at) {
        return static_cast<unsigned char>((*png)[at]) << 8 |
               static_cast<unsigned char>((*png)[at + 1]);
    };
    EXPECT_EQ(number(18), 1920);
    EXPECT_EQ(number(22), 1080);
}

TEST(Text, AProfileHasARowPerSymbolAndTheirSum) {
    const auto all = reports();
    const std::string text = profile_text(all);
    EXPECT_THAT(text, HasSubstr(std::to_string(all[0].coverage.nodes)));
    EXPECT_THAT(text, HasSubstr("  " + all[0].symbol + "\n"));
    EXPECT_THAT(text, HasSubstr("  all\n"));
    EXPECT_THAT(text, HasSubstr(all[0].coverage.pruned.begin()->first));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("broken")));
}

TEST(Text, SaysHowLikelyChanceIs) {
    const auto all = reports();
    EXPECT_THAT(symbol_text(all[0]), HasSubstr("of 20 chance series have a count"));
    EXPECT_THAT(symbol_text(all[1]), HasSubstr("line 17"));
    EXPECT_THAT(totals_text(all), HasSubstr("2 symbols, 1 failed"));
    EXPECT_THAT(totals_text(all), HasSubstr("complete: yes"));
}

TEST(Check, AcceptsBarsAndDates) {
    std::vector<SymbolPrices> one(1);
    one[0].series = testing::random_series(2, 60);
    const auto text = [&](std::string_view count) { return check_text(one, count, {}, false); };
    ASSERT_TRUE(text("zigzag up 1,5,7,12").has_value());
    EXPECT_EQ(text("zigzag up 1,5,7,12")->text,
              text("zigzag up 1970-01-02,1970-01-06,1970-01-08,1970-01-13")->text);
    EXPECT_FALSE(text("zigzag sideways 1,5,7,12").has_value());
    EXPECT_FALSE(text("zagzig up 1,5,7,12").has_value());
    EXPECT_FALSE(text("zigzag up 1,5,7,1999-01-01").has_value());
    EXPECT_FALSE(check_text({}, "zigzag up 1,5,7,12", {}, false).has_value());
}

}  // namespace
}  // namespace plimsoll::waves::output
