#include "server/kinds/sentiment/command/scored_text.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

json summary() {
    return json::parse(R"({
        "model": "vader", "model_hash": null, "form": null, "goal": null, "policy": null, "choices": [],
        "devices": [{"device": "desk-1/host", "name": null, "processor_class": null, "items": 4}],
        "accuracies": [], "reading": null, "by_source": null, "by_group": null, "over_time": null,
        "labels": {"positive": 3, "neutral": 0, "negative": 1},
        "compound": {"mean": 0.33977, "standard_deviation": 0.52828, "minimum": -0.4767,
                     "maximum": 0.8516},
        "most_positive": [{"compound": 0.8516, "text": "Great service,\nI loved it!"}],
        "most_negative": [], "least_certain": [], "errors": []})");
}

TEST(ScoredText, BeginsWithTheAnswer) {
    EXPECT_EQ(scored_text(summary(), 0),
              "4 texts scored by vader\n\n"
              "positive         3   75.0 %  ██████████████████████████████\n"
              "neutral          0    0.0 %  \n"
              "negative         1   25.0 %  ██████████\n"
              "mean score +0.340 on a scale from -1 to +1, standard deviation 0.528\n"
              "computed by desk-1/host\n\n"
              "SCORE   MOST POSITIVE\n"
              "+0.852  Great service, I loved it!\n");
}

TEST(ScoredText, NamesModelFormAndTokens) {
    auto report = summary();
    report["model"] = "finbert";
    report["form"] = "bf16";
    report["model_hash"] = "0123456789abcdef";
    report["reading"] = {
        {"tokens", 12345}, {"truncated", 1}, {"windowed", 3}, {"windows", 1400}, {"duplicates", 2}};
    report["accuracies"] = {
        {{"model", "finbert"},
         {"accuracy",
          {{"form", "bf16"}, {"texts", 400}, {"right", 324}, {"texts_of", "gold.csv"}}}}};
    report["least_certain"] = {{{"compound", 0.01}, {"certainty", 0.41}, {"text", "Maybe"}}};
    const auto text = scored_text(report, 0);
    EXPECT_NE(text.find("scored by finbert in bf16, files 0123456789ab\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("12,345 tokens; 1 text truncated to the model's maximum; "
                        "3 texts read in 1,400 windows; 2 duplicates\n"),
              std::string::npos);
    EXPECT_NE(text.find("measured accuracy of finbert in bf16: 81.0 % on 400 texts of gold.csv\n"),
              std::string::npos);
    EXPECT_NE(text.find("+0.010  41 %       Maybe\n"), std::string::npos) << text;
}

TEST(ScoredText, ShowsGroupsChoicesAndPeriods) {
    auto report = summary();
    report["model"] = nullptr;
    report["policy"] = {{"id", "desk"}};
    report["choices"] = {{{"model", "vader"},
                          {"form", nullptr},
                          {"rule", nullptr},
                          {"fallback", "no worker has it"},
                          {"items", 4}}};
    const json counts = {
        {"texts", 4}, {"positive", 3}, {"neutral", 0}, {"negative", 1}, {"mean", 0.34}};
    auto group = counts;
    group["name"] = nullptr;
    group["change"] = {{"mean", 0.5}, {"before", 0.2}};
    report["by_group"] = {{"too_many", false}, {"groups", {group}}};
    report["by_source"] = {{"too_many", true}, {"groups", json::array()}};
    report["over_time"] = {{"unit", "day"}, {"points", json::array()}, {"undated", 0}};
    for (int day = 10; day < 32; ++day) {
        auto point = counts;
        point["from"] = "2026-01-" + std::to_string(day) + "T00:00:00Z";
        report["over_time"]["points"].push_back(point);
    }
    const auto text = scored_text(report, 0);
    EXPECT_NE(text.find("scored by the policy desk\n"), std::string::npos) << text;
    EXPECT_NE(text.find("vader  –     none  4      no worker has it\n"), std::string::npos) << text;
    EXPECT_NE(text.find("(none)  4      3         0        1         +0.340  +0.500 (+0.300)\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("SOURCE: more than 100 different values"), std::string::npos);
    EXPECT_NE(text.find("2026-01-12T00:00  4"), std::string::npos) << text;
    EXPECT_EQ(text.find("2026-01-11T00:00"), std::string::npos);
    EXPECT_NE(text.find("2 earlier days omitted"), std::string::npos);
}

TEST(ScoredText, OfFailedTextsHasTheReasonsAlone) {
    auto report = summary();
    report["labels"] = {{"positive", 0}, {"neutral", 0}, {"negative", 0}};
    report["compound"] = nullptr;
    report["most_positive"] = json::array();
    report["errors"] = {{{"index", 0}, {"custom_id", nullptr}, {"error", "The text is not UTF-8."}},
                        {{"index", 1}, {"custom_id", "b"}, {"error", "The text is not UTF-8."}}};
    EXPECT_EQ(scored_text(report, 0),
              "0 texts scored by vader\ncomputed by desk-1/host\n\n"
              "TEXT  FAILED BECAUSE\n1     The text is not UTF-8.\nb     The text is not UTF-8.\n");
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment
