// Several models on the same texts: what is planned, refused, counted and recommended.
#include "server/kinds/sentiment/run/comparison/comparison.hpp"

#include "engine/base/members.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/registry.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "tests/unit/server/jobs/run_task.hpp"

#include <cmath>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<ComparedModel> kCompared = {
    {"finbert", "f", "fp32", true}, {"distilbert", "d", "int8", false}, {"vader", "", "", true}};

// A text with what three models say; empty: the model was not there.
struct Said {
    std::string label;  // given; empty: none
    std::array<std::optional<TextScores>, 3> scores;
};

TextScores said(Label label, std::int64_t compound, std::int64_t certainty = 8000,
                bool tokens = true) {
    std::array<std::int64_t, 3> shares{};
    shares.fill((kCompoundScale - certainty) / 2);
    shares[static_cast<std::size_t>(label)] = certainty;
    TextScores scores{label, compound, shares[0], shares[1], shares[2]};
    if (tokens) scores.tokens = 12;
    return scores;
}

Comparison stored(const Comparison& comparison) {
    return from_text<Comparison>(to_text(comparison)).value();
}

Comparison count(std::span<const Said> texts, std::uint64_t first = 0,
                 const GivenLabels& labels = GivenLabels({})) {
    Comparison comparison(kCompared.size());
    for (const Said& text : texts) {
        text::RecordView item;
        item.index = first++;
        item.text = "text";
        std::optional<Given> given;
        if (!text.label.empty()) given = Given{text.label, labels.of(text.label)};
        comparison.add(item, text.scores, given);
    }
    for (std::size_t i = 0; i < kCompared.size(); ++i) {
        ModelUse use;
        use.texts = static_cast<std::int64_t>(texts.size());
        use.seconds = std::pow(10.0, 2.0 - static_cast<double>(i));
        comparison.add_use(i, use);
    }
    return comparison;
}

std::vector<Said> at_random(std::size_t texts, unsigned seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int max) {
        return static_cast<int>(random() % static_cast<unsigned>(max + 1));
    };
    const std::array<std::string, 6> labels = {"",        "positive", "Bullish",
                                               "neutral", "NEGATIVE", "odd"};
    std::vector<Said> all(texts);
    for (Said& text : all) {
        text.label = labels[static_cast<std::size_t>(up_to(5))];
        for (std::size_t i = 0; i < 3; ++i) {
            if (up_to(9) == 0) continue;
            text.scores[i] = said(static_cast<Label>(up_to(2)), up_to(20000) - 10000,
                                  4000 + up_to(6000), i != 2);
        }
    }
    return all;
}

std::optional<Label> label_of(const std::string& given) { return GivenLabels({}).of(given); }

TEST(SentimentComparison, CountsAsByHand) {
    const auto texts = at_random(500, 1);
    const json compared = count(texts).summary(kCompared);
    std::int64_t both = 0;
    std::int64_t same = 0;
    std::int64_t disagreeing = 0;
    std::int64_t labelled = 0;
    std::int64_t right = 0;
    std::int64_t known = 0;
    std::int64_t more_positive = 0;
    for (const Said& text : texts) {
        const auto& [first, second, third] = text.scores;
        std::set<Label> labels;
        for (const auto& one : text.scores)
            if (one) labels.insert(one->label);
        disagreeing += labels.size() > 1 ? 1 : 0;
        if (first && third) {
            ++both;
            same += first->label == third->label ? 1 : 0;
            more_positive +=
                third->label == Label::positive && first->label != Label::positive ? 1 : 0;
        }
        const auto given = label_of(text.label);
        if (!given) continue;
        ++labelled;
        if (!first) continue;
        ++known;
        right += first->label == *given ? 1 : 0;
    }
    EXPECT_EQ(compared["disagreeing"], disagreeing);
    EXPECT_EQ(compared["given"]["labelled"], labelled);
    const json& pair = compared["pairs"][1];
    EXPECT_THAT((std::vector<json>{pair["first"], pair["second"]}),
                ElementsAre("finbert", "vader"));
    EXPECT_EQ(pair["texts"], both);
    EXPECT_DOUBLE_EQ(pair["agreement"], static_cast<double>(same) / static_cast<double>(both));
    const json& finbert = compared["comparison"]["finbert"];
    EXPECT_EQ(finbert["accuracy"]["texts"], known);
    EXPECT_DOUBLE_EQ(finbert["accuracy"]["accuracy"],
                     static_cast<double>(right) / static_cast<double>(known));
    EXPECT_DOUBLE_EQ(compared["comparison"]["vader"]["against_first"]["false_positives_percent"],
                     100 * static_cast<double>(more_positive) / static_cast<double>(both));
    EXPECT_EQ(compared["given"]["unknown_labels"][0]["label"], "odd");
    // VADER tells no probabilities, and distilbert knows no neutral.
    EXPECT_EQ(compared["comparison"]["vader"]["accuracy"]["calibration"], nullptr);
    EXPECT_EQ(compared["comparison"]["distilbert"]["accuracy"], nullptr);
    EXPECT_EQ(compared["fastest"], "vader");
    EXPECT_EQ(compared["slowest"], "finbert");
}

TEST(SentimentComparison, AModelOfTwoLabelsIsJudgedOnThreeOnceTheyAreMapped) {
    const auto texts = at_random(500, 1);
    auto models = kCompared;
    EXPECT_EQ(count(texts).summary(models)["comparison"]["distilbert"]["accuracy"], nullptr);
    models[1].maps_neutral = true;
    EXPECT_GT(count(texts).summary(models)["comparison"]["distilbert"]["accuracy"]["texts"], 0);
}

TEST(SentimentComparison, TheResultDoesNotDependOnTheCut) {
    const auto texts = at_random(300, 2);
    const json whole = count(texts).summary(kCompared);
    for (const std::size_t cut : {1U, 7U, 150U, 299U}) {
        const std::span all(texts);
        auto merged = stored(count(all.first(cut)));
        merged.add(stored(count(all.subspan(cut), cut)));
        json parts = merged.summary(kCompared);
        for (const auto& model : kCompared)  // seconds of two tasks add up
            for (const char* key : {"avg_inference_time_ms", "items_per_second"})
                parts["comparison"][model.name][key] = whole["comparison"][model.name][key];
        EXPECT_EQ(parts, whole) << cut;
    }
}

TEST(SentimentComparison, ShowsTheTextsWithTheLargestDifferences) {
    std::vector<Said> texts;
    for (int i = 0; i < 30; ++i) {
        texts.push_back(
            {"", {said(Label::positive, 100 * i), said(Label::negative, -100 * i), {}}});
    }
    texts.push_back(
        {"", {said(Label::positive, 10000), said(Label::positive, 0), {}}});  // one label
    const json compared = count(texts).summary(kCompared);
    EXPECT_EQ(compared["disagreeing"], 30);
    ASSERT_EQ(compared["disagreements"].size(), 10);
    EXPECT_EQ(compared["disagreements"][0]["index"], 29);
    EXPECT_EQ(compared["disagreements"][9]["index"], 20);
    EXPECT_FALSE(compared["disagreements"][0]["models"].contains("vader"));
}

// finbert is right `slow` times of 200, vader `fast` times.
json recommended(int slow, int fast, const std::string& label = "positive") {
    std::vector<Said> texts;
    for (int i = 0; i < 200; ++i) {
        const auto at = [&](int right) {
            return said(i < right ? Label::positive : Label::negative, 0);
        };
        texts.push_back(
            {i == 199 && label == "positive" ? "negative" : "positive", {at(slow), {}, at(fast)}});
    }
    return count(texts).summary(kCompared)["recommendation"];
}

TEST(SentimentComparison, RecommendsTheFastestThatIsAsGood) {
    const json same = recommended(180, 180);
    EXPECT_EQ(same["model"], "vader");
    EXPECT_THAT(same["text"], HasSubstr("100 times as fast as finbert"));
    const json better = recommended(180, 140);
    EXPECT_EQ(better["model"], "finbert");
    EXPECT_THAT(better["text"], HasSubstr("20.0 points less accurate"));
    const json both = recommended(140, 180);
    EXPECT_EQ(both["model"], "vader");
    EXPECT_THAT(both["text"], HasSubstr("the most accurate (90.5 %) and the fastest"));
}

TEST(SentimentComparison, RecommendsNothingWithTooFewLabels) {
    EXPECT_THAT(count(at_random(50, 3)).summary(kCompared)["recommendation"]["text"],
                HasSubstr("needs 100"));
    std::vector<Said> unlabelled(
        200, Said{"", {said(Label::positive, 1), {}, said(Label::positive, 1)}});
    EXPECT_THAT(count(unlabelled).summary(kCompared)["recommendation"]["text"],
                HasSubstr("have no labels"));
    EXPECT_EQ(count(unlabelled).summary(kCompared)["given"], nullptr);
    const json one_class = recommended(180, 140, "one");
    EXPECT_EQ(one_class["model"], nullptr);
    EXPECT_THAT(one_class["text"], HasSubstr("all labels are the same"));
}

TEST(SentimentComparison, CustomLabelsAreMapped) {
    const GivenLabels labels({{"1", "positive"}, {"0", "negative"}, {"bullish", "neutral"}});
    EXPECT_EQ(labels.of("1"), Label::positive);
    EXPECT_EQ(labels.of("0"), Label::negative);
    EXPECT_EQ(labels.of("bullish"), Label::neutral) << "the caller knows better";
    EXPECT_EQ(labels.of("Bearish"), Label::negative);
    EXPECT_EQ(labels.of("4 stars"), Label::positive);
    EXPECT_FALSE(labels.of("2"));
}

tl::expected<Plan, FieldErrors> plan(const json& args) {
    return find_contract("sentiment")->plan(args, {});
}

std::string refusal_of(const json& args) {
    const auto planned = plan(args);
    return planned ? "" : planned.error().front().pointer + " " + planned.error().front().rule;
}

TEST(SentimentComparison, InvalidArgumentsAreRefused) {
    const json texts = {"good"};
    EXPECT_EQ(refusal_of({{"models", {"vader"}}, {"texts", texts}}), "");
    EXPECT_EQ(refusal_of({{"models", {"vader", "vader"}}, {"texts", texts}}), "/models/1 unique");
    EXPECT_EQ(refusal_of({{"models", {"vader", "finbert"}}, {"texts", texts}}),
              "/models/1 unknown_model");
    EXPECT_EQ(refusal_of({{"models", {"vader"}}, {"model", "vader"}, {"texts", texts}}),
              "/models one_of");
    EXPECT_EQ(refusal_of({{"models", {"vader"}}, {"policy", "server"}, {"texts", texts}}),
              "/models one_of");
    EXPECT_EQ(
        refusal_of({{"label_names", {{"1", "positive"}}}, {"model", "vader"}, {"texts", texts}}),
        "/label_names not_used");
    EXPECT_EQ(refusal_of({{"neutral_within", 0.2}, {"model", "vader"}, {"texts", texts}}),
              "/neutral_within not_used");
    const json items = {{{"text", "good"}, {"label", "positive"}},
                        {{"text", "bad"}, {"label", "0"}}};
    EXPECT_EQ(refusal_of({{"models", {"vader"}}, {"items", items}}),
              "/items/1/label unknown_label");
    EXPECT_EQ(
        refusal_of({{"models", {"vader"}}, {"items", items}, {"label_names", {{"0", "negative"}}}}),
        "");
}

TEST(SentimentComparison, EveryRowHasEachModelsScore) {
    const auto planned =
        plan({{"models", {"vader"}},
              {"items",
               {{{"text", "A brilliant quarter!"}, {"label", "bullish"}}, {{"text", "A ship."}}}}});
    Progress progress;
    RunContext context{.device = nullptr, .progress = progress, .stop = {}};
    const auto& run = *find_run("sentiment", kVersion);
    const auto output = run_task(run, planned->args, planned->tasks[0].input, context).value();
    EXPECT_EQ(progress.done(), 2);
    const auto lines = gunzip(output.results, 1 << 20).value();
    const json first = json::parse(lines.substr(0, lines.find('\n')));
    EXPECT_EQ(first["model"], "vader");
    EXPECT_EQ(first["given_label"], "bullish");
    EXPECT_EQ(first["models"]["vader"]["label"], "positive");
    EXPECT_EQ(first["models"]["vader"]["compound"], first["compound"]);
    const auto merged = merge_tasks(run, planned->args, std::vector{output.partial});
    const json summary = json::parse(merged->summary);
    EXPECT_EQ(summary["model"], "vader");
    EXPECT_EQ(summary["compared"]["given"]["labelled"], 1);
    EXPECT_EQ(summary["compared"]["comparison"]["vader"]["sample_results"].size(), 2);
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment
