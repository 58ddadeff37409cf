// Jobs by published models: what the server plans of what workers offer.
#include "server/kinds/sentiment/contract/models.hpp"

#include "server/base/time.hpp"
#include "server/jobs/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Manifest model(const std::string& name, const std::string& hash = std::string(64, 'a')) {
    return {.name = name,
            .hash = hash,
            .family = "bert",
            .labels = {"positive", "negative", "neutral"},
            .parameters = 109'484'547,
            .longest_text = 512,
            .layers = 12,
            .hidden = 768,
            .intermediate = 3072};
}

PlanningContext planning_context(const std::vector<Manifest>& models) {
    return {.team = TeamId{1},
            .records = {},
            .devices = {},
            .advertisements = {json{{"sentiment", advertisement_of(models)}}.dump()}};
}

const Contract& contract() { return *find_contract("sentiment"); }

tl::expected<Plan, FieldErrors> plan(json args, const PlanningContext& known) {
    if (!args.contains("items") && !args.contains("texts")) args["texts"] = {"a"};
    return contract().plan(args, known);
}

json args_of(const json& args, const PlanningContext& known) {
    return json::parse(plan(args, known).value().args);
}

TEST(SentimentModels, TheDefaultIsFinbertIfAWorkerHasItElseVader) {
    const json args{{"texts", {"a"}}};
    EXPECT_EQ(args_of(args, {})["model"], "vader");
    EXPECT_EQ(args_of(args, planning_context({model("roberta")}))["model"], "vader");
    EXPECT_EQ(args_of(args, planning_context({model("finbert")}))["model"], "finbert");
    EXPECT_FALSE(contract().needs({{"model", "vader"}}).pool);
    EXPECT_TRUE(contract().needs(args).pool);
}

TEST(SentimentModels, AnUnavailableModelIsRefusedWithTheAvailableOnes) {
    const auto refused =
        plan({{"model", "finbrt"}}, planning_context({model("finbert"), model("roberta")}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error()[0].pointer, "/model");
    EXPECT_THAT(refused.error()[0].message, HasSubstr("vader, finbert, roberta"));
}

TEST(SentimentModels, AModelWithoutAHeadIsRefusedWithTheReason) {
    auto encoder = model("minilm");
    encoder.labels.clear();
    const auto known = planning_context({model("finbert"), encoder});
    for (const json& args : {json{{"model", "minilm"}}, {{"models", {"finbert", "minilm"}}}}) {
        const auto refused = plan(args, known);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error()[0].rule, "not_a_classifier");
        EXPECT_THAT(refused.error()[0].message, HasSubstr("plimsoll-engine embed minilm"));
    }
    EXPECT_EQ(models_of(known.advertisements, TeamId{1}).size(), 1U);
}

// A worker that has just ended may be back in seconds.
TEST(SentimentModels, AModelOfAWorkerThatMayComeBackIsUsedIfItIsNamed) {
    auto known = planning_context({});
    known.absent_advertisements = planning_context({model("finbert")}).advertisements;
    EXPECT_EQ(args_of({{"model", "finbert"}}, known)["model"], "finbert");
    EXPECT_EQ(args_of({{"models", {"finbert", "vader"}}}, known)["models"][0]["name"], "finbert");
    EXPECT_EQ(args_of({{"texts", {"a"}}}, known)["model"], "vader") << "nobody has to wait";
    EXPECT_FALSE(plan({{"model", "roberta"}}, known));
}

TEST(SentimentModels, AJobNeedsAWorkerWithTheSameModelHash) {
    const auto planned =
        plan({{"model", "finbert"}, {"batch_size", 20}}, planning_context({model("finbert")}));
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->requirement.device_class, "gpu,cpu");
    EXPECT_EQ(planned->requirement.capability, "model finbert aaaaaaaaaaaa");
    EXPECT_EQ(planned->requirement.model, "finbert aaaaaaaaaaaa");
    EXPECT_GT(planned->requirement.memory_bucket_mib, 438);
    EXPECT_LT(planned->requirement.memory_bucket_mib, 1024);
    EXPECT_EQ(json::parse(planned->args), (json{{"model", "finbert"},
                                                {"model_hash", std::string(64, 'a')},
                                                {"form", "fp32"},
                                                {"batch_size", 20}}));
}

models::Proof proof(const std::string& form, double speedup, const std::string& why = {}) {
    return {.form = form,
            .method = "block_" + form,
            .passed = why.empty(),
            .why = why,
            .texts = 512,
            .same_label = 511,
            .speedup = speedup,
            .device = "cpu",
            .proven_at = "2026-03-02T09:00:00Z"};
}

json form_of(std::vector<models::Proof> proofs, const std::string& asked) {
    auto finbert = model("finbert");
    finbert.proofs = std::move(proofs);
    const json args{{"texts", {"a"}}, {"model", "finbert"}, {"form", asked}};
    const auto planned = plan(args, planning_context({finbert}));
    return planned ? json::parse(planned->args)["form"] : json(planned.error()[0].message);
}

TEST(SentimentModels, AutoIsTheFastestFormThatPassed) {
    EXPECT_EQ(form_of({}, "auto"), "fp32");
    EXPECT_EQ(form_of({proof("bf16", 1.6), proof("int8", 2.1)}, "auto"), "int8");
    EXPECT_EQ(form_of({proof("bf16", 1.6), proof("int8", 2.1, "It is off")}, "auto"), "bf16");
    EXPECT_EQ(form_of({proof("bf16", 0.8)}, "auto"), "fp32");
    EXPECT_EQ(form_of({proof("bf16", 0.8)}, "bf16"), "bf16");
}

TEST(SentimentModels, AFormThatDidNotPassIsRefusedWithTheReason) {
    EXPECT_THAT(form_of({}, "bf16"), HasSubstr("plimsoll-engine prove finbert"));
    EXPECT_THAT(form_of({proof("int8", 2, "12 labels differ")}, "int8"),
                HasSubstr("12 labels differ"));
}

TEST(SentimentModels, AFormRequiresAModel) {
    const auto rule = [](const json& args) {
        const auto planned = contract().plan(args, {});
        return planned ? std::string() : planned.error()[0].rule;
    };
    EXPECT_EQ(rule({{"texts", {"a"}}, {"model", "vader"}, {"form", "bf16"}}), "not_used");
    EXPECT_EQ(rule({{"texts", {"a"}}, {"model", "vader"}, {"form", "auto"}}), "");
    EXPECT_EQ(rule({{"texts", {"a"}}, {"models", {"vader"}}, {"form", "int8"}}), "not_used");
}

TEST(SentimentModels, AComparisonScoresEachModelInTheForm) {
    auto finbert = model("finbert");
    finbert.proofs = {proof("bf16", 1.6), proof("int8", 2.1)};
    auto roberta = model("roberta", std::string(64, 'b'));
    roberta.proofs = {proof("bf16", 1.5)};
    const auto known = planning_context({finbert, roberta});
    json args{{"texts", {"a"}}, {"models", {"finbert", "vader", "roberta"}}, {"form", "auto"}};
    const auto planned = plan(args, known).value();
    EXPECT_EQ(planned.requirement.capability,
              "model finbert aaaaaaaaaaaa int8,model roberta bbbbbbbbbbbb bf16");
    const auto kept = json::parse(planned.args);
    EXPECT_EQ(kept["models"][0]["form"], "int8");
    EXPECT_FALSE(kept["models"][1].contains("form"));
    EXPECT_EQ(kept["models"][2]["form"], "bf16");
    ASSERT_EQ(kept["proofs"].size(), 2U);
    EXPECT_EQ(kept["proofs"][1]["model"], "roberta");
    EXPECT_EQ(kept["proofs"][1]["proof"]["form"], "bf16");
    args["form"] = "int8";
    const auto refused = plan(args, known);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error()[0].pointer, "/form");
    EXPECT_THAT(refused.error()[0].message, HasSubstr("roberta"));
}

TEST(SentimentModels, APolicysModelsScoreInItsFormOrThatOfTheJob) {
    auto finbert = model("finbert");
    finbert.proofs = {proof("int8", 2)};
    auto known = planning_context({finbert, model("distilbert", std::string(64, 'd'))});
    known.at = parse_rfc3339("2026-03-02T15:00:00Z").value();
    json policy{{"model", "distilbert"},
                {"rules", {{{"sources", {"businesswire"}}, {"model", "finbert"}}}},
                {"fallback", {"finbert"}}};
    const auto capability = [&](const json& form, const std::string& source) {
        TeamRecord record;
        record.id = "desk";
        record.data = policy.dump();
        known.records["sentiment_policy"] = {std::move(record)};
        json args{{"items", {{{"text", "a"}, {"source", source}}}}, {"policy", "desk"}};
        if (!form.is_null()) args["form"] = form;
        const auto planned = plan(args, known);
        if (!planned) return planned.error()[0].pointer + " " + planned.error()[0].rule;
        return planned->requirement.capability;
    };
    const std::string by_finbert = "model finbert aaaaaaaaaaaa";
    EXPECT_EQ(capability({}, "businesswire"), by_finbert);
    EXPECT_EQ(capability("auto", "businesswire"), by_finbert + " int8");
    EXPECT_EQ(capability("auto", "reuters"), "model distilbert dddddddddddd");
    EXPECT_EQ(capability("int8", "businesswire"), "/form not_proven") << "of distilbert";
    policy["form"] = "auto";
    EXPECT_EQ(capability({}, "businesswire"), by_finbert + " int8");
    EXPECT_EQ(capability("fp32", "businesswire"), by_finbert);
    policy["form"] = "int8";
    EXPECT_EQ(capability({}, "businesswire"), "/policy not_proven");
    EXPECT_EQ(capability("auto", "businesswire"), by_finbert + " int8");
}

TEST(SentimentModels, ATaskInAFasterFormHasMoreTexts) {
    auto finbert = model("finbert");
    finbert.proofs = {proof("int8", 4)};
    json args{{"texts", json(std::vector<std::string>(500, "Shares rose after the report."))},
              {"model", "finbert"}};
    const auto tasks = [&](const char* form) {
        args["form"] = form;
        return plan(args, planning_context({finbert})).value().tasks.size();
    };
    EXPECT_GT(tasks("fp32"), 3 * tasks("int8"));
}

TEST(SentimentModels, TasksFollowTheSpeedThatWorkersMeasured) {
    const json texts(std::vector<std::string>(8000, "Shares rose after the report."));
    const auto tasks = [&](std::vector<models::Proof> proofs, const char* form) {
        auto finbert = model("finbert");
        finbert.proofs = std::move(proofs);
        const json args{{"texts", texts}, {"model", "finbert"}, {"form", form}};
        const auto planned = plan(args, planning_context({finbert})).value();
        EXPECT_LE(planned.tasks[0].estimated_seconds, 0.25);
        return planned.tasks.size();
    };
    const auto timed = [](const char* device, const char* form, double seconds) {
        auto made = proof(form, 8, std::string(form) == "int8" ? "12 labels differ" : "");
        made.device = device;
        made.seconds_per_token = seconds;
        return made;
    };
    const auto unknown = tasks({}, "fp32");
    const auto gpu = timed("gpu", "bf16", 2e-6);
    EXPECT_LT(tasks({gpu}, "bf16"), 5U);
    EXPECT_LT(10 * tasks({gpu}, "fp32"), unknown);
    EXPECT_GT(tasks({gpu}, "fp32"), 2 * tasks({gpu}, "bf16"));
    // A form that did not pass shows how fast fp32 is; of several devices, the slowest counts.
    EXPECT_EQ(tasks({timed("gpu", "int8", 2e-6)}, "fp32"), tasks({gpu}, "fp32"));
    EXPECT_GT(tasks({gpu, timed("cpu", "bf16", 5e-4)}, "bf16"), 50 * tasks({gpu}, "bf16"));
}

TEST(SentimentModels, TasksTakeAFractionOfASecond) {
    json texts = json::array();
    for (int i = 0; i < 1000; ++i)
        texts.push_back("Shares of the company rose after a strong quarter.");
    const auto planned = plan({{"texts", texts}}, planning_context({model("finbert")}));
    ASSERT_TRUE(planned);
    std::int64_t items = 0;
    for (const auto& task : planned->tasks) {
        EXPECT_LE(task.estimated_seconds, 0.25);
        EXPECT_GT(task.items, 1);
        items += task.items;
    }
    EXPECT_EQ(items, 1000);
    const auto by_vader = contract().plan({{"texts", texts}, {"model", "vader"}}, {});
    EXPECT_EQ(by_vader->tasks.size(), 1U);
}

TEST(SentimentModels, WorkersOfferEachModelOnceAndUnreadableOnesAreIgnored) {
    const auto known = planning_context(
        {model("finbert"), model("finbert"), model("finbert", std::string(64, 'b'))});
    const std::vector<std::string> advertisements{known.advertisements[0],
                                                  known.advertisements[0],
                                                  "noise",
                                                  "{}",
                                                  R"({"sentiment": {"models": [{"name": 3}]}})",
                                                  R"({"sentiment": {"models": [{}]}})"};
    EXPECT_EQ(models_of(advertisements, TeamId{1}).size(), 2U);
}

TEST(SentimentModels, ATeamsModelIsForThatTeamOnly) {
    auto own = model("own");
    own.audience = to_public(TeamId{1});
    auto known = planning_context({model("finbert"), own});
    EXPECT_EQ(args_of({{"model", "own"}}, known)["model"], "own");
    EXPECT_EQ(models_of(known.advertisements, TeamId{1}).size(), 2U);
    known.team = TeamId{2};
    const auto refused = plan({{"model", "own"}}, known);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error()[0].rule, "unknown_model");
    EXPECT_THAT(refused.error()[0].message, ::testing::Not(HasSubstr("finbert, own")));
    EXPECT_EQ(models_of(known.advertisements, TeamId{2}).size(), 1U);
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment
