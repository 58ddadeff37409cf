// Goals choose the model of a job from what workers have and what was measured.
#include "server/kinds/sentiment/contract/goal.hpp"

#include "server/jobs/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SentimentGoals : public ::testing::Test {
  protected:
    static Manifest installed(const std::string& name) {
        return {.name = name,
                .hash = std::string(64, name[0]),
                .family = "bert",
                .labels = {"positive", "negative", "neutral"},
                .parameters = 66'000'000,
                .longest_text = 512,
                .layers = 6,
                .hidden = 768,
                .intermediate = 3072};
    }
    static models::Proof passed(const std::string& form, double speedup) {
        return {.form = form,
                .method = "block_" + form,
                .passed = true,
                .why = {},
                .texts = 512,
                .same_label = 511,
                .speedup = speedup,
                .device = "cpu",
                .proven_at = "2026-03-02T09:00:00Z"};
    }
    void measured(const std::string& model, double seconds, int texts) {
        TeamRecord speed;
        speed.id = model;
        speed.data = json{{"seconds", seconds}, {"texts", texts}}.dump();
        records_.push_back(std::move(speed));
    }

    tl::expected<Plan, FieldErrors> plan(json args) const {
        const PlanningContext known{
            .team = TeamId{1},
            .records = {{kSpeeds.name, records_}},
            .devices = {},
            .advertisements = {json{{"sentiment", advertisement_of(models_)}}.dump()}};
        args["texts"] = {"a"};
        return kind().plan(args, known);
    }
    json plan_args(const json& args) const { return json::parse(plan(args).value().args); }
    std::string chosen(const std::string& goal) const {
        const auto args = plan_args({{"goal", goal}});
        return args.at("model").get<std::string>() + " " + args.value("form", "");
    }
    static const Contract& kind() { return *find_contract("sentiment"); }

    std::vector<Manifest> models_;
    std::vector<TeamRecord> records_;
};

TEST_F(SentimentGoals, EachMeansTheGuidesModel) {
    for (const char* name : {"distilbert", "finbert", "roberta"}) {
        models_.push_back(installed(name));
        models_.back().proofs = {passed("bf16", 1.5), passed("int8", 2)};
    }
    EXPECT_EQ(chosen("no_gpu"), "vader ");
    EXPECT_EQ(chosen("speed"), "distilbert int8");
    EXPECT_EQ(chosen("accuracy"), "finbert fp32");
    EXPECT_EQ(chosen("balanced"), "roberta int8");
    EXPECT_EQ(plan_args({{"goal", "accuracy"}, {"form", "bf16"}}).at("form"), "bf16");
    EXPECT_EQ(plan_args({{"goal", "speed"}, {"form", "fp32"}}).at("form"), "fp32");
}

TEST_F(SentimentGoals, TheClosestModelThatAWorkerHasStandsIn) {
    EXPECT_EQ(chosen("accuracy"), "vader ");
    EXPECT_EQ(chosen("speed"), "vader ");
    models_ = {installed("distilbert")};
    EXPECT_EQ(chosen("accuracy"), "distilbert fp32");
    EXPECT_EQ(chosen("balanced"), "distilbert fp32");
    models_ = {installed("distilbert"), installed("finbert")};
    EXPECT_EQ(chosen("balanced"), "finbert fp32");
    const auto goal = plan_args({{"goal", "balanced"}}).at("goal");
    EXPECT_EQ(goal.at("means"), "roberta");
    EXPECT_THAT(goal.at("reason").get<std::string>(),
                HasSubstr("The goal balanced means roberta, which no worker has; the first of "
                          "roberta, finbert, distilbert, vader that a worker has is finbert."));
}

TEST_F(SentimentGoals, TheChoiceIsExplainedWithWhatWasMeasuredHere) {
    models_ = {installed("distilbert"), installed("finbert")};
    models_[0].proofs = {passed("int8", 2)};
    models_[0].accuracies = {{.form = "int8",
                              .texts_of = "held_out.jsonl",
                              .texts = 1000,
                              .right = 646,
                              .macro_f1 = {},
                              .device = "cpu",
                              .measured_at = "2026-03-02T09:00:00Z"}};
    measured("", 0.5, 10000);
    measured("distilbert dddddddddddd int8", 6, 1200);
    measured("distilbert dddddddddddd", 90, 900);
    const auto goal = plan_args({{"goal", "speed"}}).at("goal");
    EXPECT_EQ(goal.at("reason"),
              "The goal speed means distilbert. distilbert in int8: 5 ms of device time per text, "
              "over 1,200 texts, accuracy 64.6 % on 1,000 texts of held_out.jsonl; finbert in "
              "fp32: speed not measured, accuracy not measured; vader: 0.05 ms of "
              "device time per text, over 10,000 texts.");
    const json& measured = goal.at("measured");
    ASSERT_EQ(measured.size(), 3U);
    EXPECT_EQ(measured[0].at("seconds_per_text"), 0.005);
    EXPECT_EQ(measured[0].at("speedup"), 2);
    EXPECT_EQ(measured[0].at("accuracy").at("right"), 646);
    EXPECT_EQ(measured[1].at("seconds_per_text"), nullptr);
    EXPECT_EQ(measured[2].at("form"), nullptr);
    EXPECT_EQ(measured[2].at("texts"), 10000);
}

TEST_F(SentimentGoals, AGoalLeavesNothingElseToChoose) {
    models_ = {installed("finbert")};
    for (const json& other : {json{{"model", "vader"}}, json{{"policy", "server"}},
                              json{{"models", {"vader", "finbert"}}}}) {
        json args = other;
        args["goal"] = "speed";
        const auto refused = plan(args);
        ASSERT_FALSE(refused) << args;
        EXPECT_EQ(refused.error()[0].pointer, "/goal");
        EXPECT_EQ(refused.error()[0].rule, "one_of");
    }
    const auto refused = plan({{"goal", "accuracy"}, {"form", "int8"}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error()[0].pointer, "/form");
}

TEST_F(SentimentGoals, OnlyGoalsNeedTheSpeeds) {
    const auto needed = [](const json& args) { return kind().needs(args).collections; };
    EXPECT_THAT(needed({{"goal", "speed"}}), ElementsAre(kSpeeds.name));
    EXPECT_THAT(needed({{"policy", "desk"}}), ElementsAre("sentiment_policy"));
    EXPECT_THAT(needed({{"policy", "server"}}), ElementsAre());
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment
