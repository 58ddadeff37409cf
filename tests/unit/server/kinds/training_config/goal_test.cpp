// What a recommendation aims at: the guides' own batches, and what is usual for a kind of training.
#include "tests/unit/server/kinds/training_config/estimates.hpp"

#include <string>

#include <gmock/gmock.h>

namespace plimsoll::jobs::training_config {
namespace {

using ::testing::HasSubstr;

json by_guide(const char* preset, const char* gpu, json training = json::object()) {
    return {{"model", {{"preset", preset}}},
            {"gpus", {gpu}},
            {"training", std::move(training)},
            {"goal", "guide"},
            {"what_ifs", false}};
}

void expect_pair(const json& part, int batch, int steps) {
    EXPECT_EQ(part["batch"], batch);
    ASSERT_FALSE(part["accumulation"].is_null());
    EXPECT_EQ(part["accumulation"]["nearest"]["steps"], steps);
}

// The worked cases of the NAICS memory guide, of which the first does not fit by this estimate.
TEST(TrainingConfigGoal, ThePresetGivesTheNaicsGuidesCases) {
    const json card = card_of(by_guide("naics-4ch", "rtx_6000"));
    expect_pair(card, 45, 5);
    EXPECT_EQ(card["batch_reason"], "guide");
    EXPECT_EQ(card["accumulation"]["nearest"]["effective"], 225);
    EXPECT_EQ(card["fits"], "no");
    EXPECT_THAT(card["batch_why"].get<std::string>(),
                HasSubstr("NAICS memory guide trains 45 x 5"));
    ASSERT_EQ(card["stages"].size(), 2U);
    expect_pair(card["stages"][0], 45, 5);
    EXPECT_EQ(card["stages"][0]["positives"], 32);
    EXPECT_EQ(card["stages"][0]["negatives"], 24);
    EXPECT_EQ(card["stages"][1]["positives"], 16);
    EXPECT_EQ(card["stages"][1]["negatives"], 8);
    expect_pair(card_of(by_guide("naics-4ch", "a100_80gb")), 128, 2);
}

TEST(TrainingConfigGoal, TheOtherGuidesSetTheirBatchesByCard) {
    expect_pair(card_of(by_guide("temporal", "rtx_4090")), 768, 1);
    expect_pair(card_of(by_guide("temporal", "a100_80gb", {{"interval", "1d"}})), 2048, 1);
    expect_pair(card_of(by_guide("bert-base", "a100_80gb")), 128, 1);
    expect_pair(card_of(by_guide("bert-base", "k80")), 16, 2);
    expect_pair(card_of(by_guide("bert-base", "k80", {{"sequence_length", 256}})), 16, 2);
    const json rate = card_of(by_guide("bert-base", "t4"))["learning_rate"];
    EXPECT_EQ(rate["base"], 2e-5);
    EXPECT_EQ(rate["base_batch"], 8);
    EXPECT_NEAR(rate["sqrt"].get<double>(), 4e-5, 1e-12) << "the guide's own example, 8 to 32";
}

// 15 samples fit, which is no multiple of 8, and four times 15 are exactly 60.
TEST(TrainingConfigGoal, BatchIsTheLargestThatMakesTheTarget) {
    const json card = card_of({{"model", {{"preset", "naics-4ch"}}},
                               {"gpus", {"rtx_6000"}},
                               {"target_effective_batch", 60},
                               {"what_ifs", false}});
    EXPECT_EQ(card["batch_reason"], "fill");
    EXPECT_EQ(card["max_batch"], 15);
    expect_pair(card, 15, 4);
}

// Up to the margin of 0.85, whatever the usual effective batch is; the rate follows.
TEST(TrainingConfigGoal, FillFillsTheGpu) {
    const json usual = card_of(bert({{"gpus", {"rtx_6000"}}}));
    const json card = card_of(bert({{"gpus", {"rtx_6000"}}, {"goal", "fill"}}));
    EXPECT_EQ(usual["batch"], 32);
    EXPECT_LT(usual["memory"]["utilization_percent"], 20);
    EXPECT_EQ(card["batch"], card["max_batch"]);
    EXPECT_GT(card["memory"]["utilization_percent"], 80);
    expect_pair(card, card["batch"], 1);
    EXPECT_EQ(card["accumulation"]["nearest"]["effective"], card["batch"]);
    EXPECT_THAT(card["batch_why"].get<std::string>(), HasSubstr("usual effective batch is 32"));
    EXPECT_GT(card["learning_rate"]["recommended"], usual["learning_rate"]["recommended"]);
}

TEST(TrainingConfigGoal, AModelWithoutAGuideIsRefused) {
    const json card = card_of(by_guide("temporal", "t4"));
    EXPECT_NE(card["batch_reason"], "guide");
    EXPECT_THAT(card["batch_why"].get<std::string>(), HasSubstr("no batch for this GPU"));
    const auto refused = [](json args, json more) {
        args.update(more);
        const auto summary = find_contract("training-config")->estimate(args, {});
        return summary ? std::string() : summary.error().front().pointer;
    };
    EXPECT_EQ(refused(by_guide("vit-base", "t4"), json::object()), "/goal");
    EXPECT_EQ(refused(by_guide("bert-base", "t4"), {{"cluster", {{"cards", 2}}}}), "/goal");
    EXPECT_EQ(refused(bert(), {{"training", {{"interval", "1d"}}}}), "/training/interval");
    EXPECT_EQ(refused(bert(), {{"training", {{"pretraining", true}}}}), "/training/pretraining");
}

struct Usual {
    const char* preset;
    json training;
    std::int64_t batch;
    double rate;
    double rate_batch;
};

// Nobody trains everything with 256 samples at 2e-5.
TEST(TrainingConfigGoal, DefaultsDependOnTheKindOfTraining) {
    const json adapters{{"lora", {{"rank", 8}}}}, scratch{{"pretraining", true}};
    const Usual all[] = {
        {"bert-base", json::object(), 32, 2e-5, 32},
        {"llama-8b", json::object(), 64, 2e-5, 64},
        {"bert-base", adapters, 16, 5e-4, 16},
        {"llama-8b", adapters, 16, 2e-4, 16},
        {"gpt2", scratch, 488, 6e-4, 488},
        {"naics-4ch", json::object(), 256, 2e-4, 16},
        {"temporal", json::object(), 512, 1e-4, 512},
        {"vit-base", json::object(), 512, 2e-5, 8},
    };
    for (const auto& usual : all) {
        const json summary = summary_of({{"model", {{"preset", usual.preset}}},
                                         {"training", usual.training},
                                         {"gpus", {"a100_80gb"}},
                                         {"what_ifs", false}});
        SCOPED_TRACE(usual.preset);
        EXPECT_EQ(summary["training"]["target_effective_batch"], usual.batch);
        const json rate = summary["gpus"][0]["learning_rate"];
        EXPECT_EQ(rate["base"], usual.rate);
        EXPECT_EQ(rate["base_batch"], usual.rate_batch);
        EXPECT_THAT(summary["assumptions"].dump(), HasSubstr("/target_effective_batch"));
    }
    const json given =
        summary_of(bert({{"target_effective_batch", 24}, {"learning_rate", {{"base", 1e-3}}}}));
    EXPECT_EQ(given["training"]["target_effective_batch"], 24);
    EXPECT_EQ(given["gpus"][0]["learning_rate"]["base"], 1e-3);
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
