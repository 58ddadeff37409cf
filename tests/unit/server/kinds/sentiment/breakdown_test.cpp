// Scores by source, by group and over time, whatever the cut into tasks.
#include "server/kinds/sentiment/run/breakdown.hpp"

#include <random>

#include <gtest/gtest.h>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

TextScores scores(Label label, std::int64_t compound) { return {label, compound, 0, 0, 0}; }

TEST(SentimentBreakdown, CountsNamesAndTextsWithoutOne) {
    Breakdown breakdown;
    EXPECT_EQ(breakdown.summary(), nullptr);
    breakdown.add("EU", {}, scores(Label::positive, 5000));
    breakdown.add("US", {}, scores(Label::negative, -2500));
    breakdown.add("EU", {}, scores(Label::neutral, 0));
    breakdown.add({}, {}, scores(Label::positive, 10000));
    const json summary = breakdown.summary();
    EXPECT_FALSE(summary["too_many"]);
    EXPECT_EQ(summary["groups"][0], (json{{"name", "EU"},
                                          {"texts", 2},
                                          {"positive", 1},
                                          {"neutral", 1},
                                          {"negative", 0},
                                          {"mean", 0.25},
                                          {"change", nullptr}}));
    EXPECT_EQ(summary["groups"][1]["name"], "US");
    EXPECT_EQ(summary["groups"][1]["mean"], -0.25);
    EXPECT_EQ(summary["groups"][2]["name"], nullptr);
}

// The last day against all days before it, however the texts are cut into tasks.
TEST(SentimentBreakdown, SaysHowAGroupMovedOnItsLastDay) {
    Breakdown parts[2];
    const auto add = [&](int part, const char* time, std::int64_t compound) {
        parts[part].add("EU", seconds_of(time), scores(Label::neutral, compound));
    };
    add(0, "2026-03-02T10:00:00Z", 5000);
    EXPECT_EQ(parts[0].summary()["groups"][0]["change"], nullptr) << "of one day";
    add(1, "2026-03-04T23:00:00Z", -5000);
    add(0, "2026-03-03T10:00:00Z", 1000);
    add(1, "2026-03-04T01:00:00Z", -3000);
    parts[1].add("US", {}, scores(Label::neutral, 0));
    parts[0].add(from_text<Breakdown>(to_text(parts[1])).value());
    const json groups = parts[0].summary()["groups"];
    EXPECT_EQ(
        groups[0]["change"],
        (json{
            {"from", "2026-03-04T00:00:00.000Z"}, {"texts", 2}, {"mean", -0.4}, {"before", 0.3}}));
    EXPECT_EQ(groups[1]["change"], nullptr);
}

// One text by each name, the names split over two tasks.
json of_two_tasks(int first, int second) {
    Breakdown tasks[2];
    for (int i = 0; i < first + second; ++i)
        tasks[i < first ? 0 : 1].add("name " + std::to_string(i), {}, scores(Label::positive, 1));
    tasks[0].add(from_text<Breakdown>(to_text(tasks[1])).value());
    return tasks[0].summary();
}

TEST(SentimentBreakdown, MoreThanAHundredNamesGiveNoTable) {
    EXPECT_EQ(of_two_tasks(60, 40)["groups"].size(), 100);
    for (const auto& [first, second] :
         {std::pair(60, 41), std::pair(101, 0), std::pair(0, 101), std::pair(150, 150)}) {
        const json summary = of_two_tasks(first, second);
        EXPECT_TRUE(summary["too_many"]);
        EXPECT_TRUE(summary["groups"].empty());
    }
}

TEST(SentimentSeries, ReadsTimesWithTheirZonesAndCountsTheOthers) {
    Series series;
    series.add({}, scores(Label::positive, 1));
    series.add(seconds_of("yesterday"), scores(Label::positive, 1));
    EXPECT_EQ(series.summary(), nullptr);
    series.add(seconds_of("2026-03-02T10:59:59Z"), scores(Label::positive, 4000));
    series.add(seconds_of("2026-03-02T11:30:00+01:00"), scores(Label::negative, -2000));
    series.add(seconds_of("2026-03-02T11:00:00Z"), scores(Label::neutral, 0));
    const json summary = series.summary();
    EXPECT_EQ(summary["unit"], "hour");
    EXPECT_EQ(summary["undated"], 2);
    ASSERT_EQ(summary["points"].size(), 2);
    EXPECT_EQ(summary["points"][0]["from"], "2026-03-02T10:00:00.000Z");
    EXPECT_EQ(summary["points"][0]["texts"], 2);
    EXPECT_EQ(summary["points"][0]["mean"], 0.1);
}

TEST(SentimentSeries, ChoosesTheFinestUnitThatFitsForAnyCut) {
    std::mt19937 random(7);
    const auto at = [&](int days) {
        const auto seconds = std::chrono::seconds(random() % static_cast<unsigned>(days * 86'400));
        return to_rfc3339(Timestamp(std::chrono::sys_days(std::chrono::year(2001) / 3 / 5)) +
                          seconds);
    };
    for (const auto& [days, unit] : {std::pair(5, "hour"), std::pair(150, "day"),
                                     std::pair(3000, "month"), std::pair(9000, "year")}) {
        Series whole;
        std::vector<Series> tasks(7);
        for (int i = 0; i < 5000; ++i) {
            const auto time = at(days);
            const auto score = scores(Label::positive, i % 1000);
            whole.add(seconds_of(time), score);
            // The first tasks see little: they have finer units than the others.
            const auto task =
                i < 20 ? static_cast<std::size_t>(i % 3) : static_cast<std::size_t>(3 + i % 4);
            tasks[task].add(seconds_of(time), score);
        }
        Series merged;
        for (const auto& task : tasks) merged.add(from_text<Series>(to_text(task)).value());
        EXPECT_EQ(whole.summary()["unit"], unit) << days;
        EXPECT_LE(whole.summary()["points"].size(), 200);
        EXPECT_EQ(merged.summary(), whole.summary()) << days;
    }
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment
