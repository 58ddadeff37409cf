// What models used, beside one fixed model.
#include "server/kinds/sentiment/contract/policy_report.hpp"

#include <gtest/gtest.h>

namespace plimsoll::jobs::sentiment::policy_report_test {
namespace {

using nlohmann::json;

const Timestamp kFrom = parse_rfc3339("2026-03-02T00:00:00Z").value();

Manifest model(const std::string& name, std::uint32_t layers) {
    Manifest made;
    made.name = name;
    made.hash = std::string(64, name.front());
    made.parameters = 9'000'000ULL * layers;
    made.layers = layers;
    made.hidden = 768;
    made.intermediate = 3072;
    return made;
}

const std::vector kModels{model("finbert", 12), model("distilbert", 6)};

UseOfHour use(int hour, const std::string& name, double seconds, std::int64_t texts) {
    const auto lane = name.empty() ? name : name + " " + std::string(12, name.front());
    return {kFrom + std::chrono::hours(hour), lane, seconds, texts};
}

json report(const std::vector<UseOfHour>& used, const std::string& against = "finbert") {
    return policy_report(used, kModels, {.from = kFrom, .hours = 24, .against = against});
}

TEST(PolicyReport, AModelThatIsIdleForAThirdOfTheDaySavesAsMuch) {
    std::vector<UseOfHour> day;
    for (int hour = 0; hour < 24; ++hour) {
        const bool open = hour >= 9 && hour < 17;
        day.push_back(open ? use(hour, "distilbert", 4, 400) : use(hour, "", 0.1, 200));
    }
    const auto told = report(day);
    EXPECT_EQ(told["texts"], 8 * 400 + 16 * 200);
    EXPECT_DOUBLE_EQ(told["device_seconds"], 32);
    EXPECT_DOUBLE_EQ(told["host_seconds"], 1.6);
    EXPECT_EQ(told["models"][0]["model"], "vader");
    EXPECT_EQ(told["models"][0]["memory_bytes"], 0);
    EXPECT_EQ(told["models"][1]["hours"], 8);
    EXPECT_DOUBLE_EQ(told["models"][1]["seconds_per_text"], 0.01);
    const auto& fixed = told["fixed"];
    // FinBERT has twice the layers: 0.02 s a text, for 6,400 texts.
    EXPECT_EQ(fixed["basis"], "scaled");
    EXPECT_DOUBLE_EQ(fixed["seconds_per_text"], 0.02);
    EXPECT_DOUBLE_EQ(fixed["device_seconds"], 128);
    EXPECT_DOUBLE_EQ(fixed["saved_percent"], 75);
    const auto held = static_cast<double>(device_bytes(kModels[1])) * 8 / 24;
    EXPECT_DOUBLE_EQ(told["mean_memory_bytes"], held);
    EXPECT_DOUBLE_EQ(fixed["saved_memory_percent"],
                     100 * (1 - held / static_cast<double>(device_bytes(kModels[0]))));
}

TEST(PolicyReport, TheFixedModelsOwnUsageOutranksScaledUsage) {
    const auto told = report({use(1, "finbert", 5, 100), use(2, "distilbert", 1, 100)});
    EXPECT_EQ(told["fixed"]["basis"], "measured");
    EXPECT_DOUBLE_EQ(told["fixed"]["device_seconds"], 10);
    EXPECT_DOUBLE_EQ(told["fixed"]["saved_percent"], 40);
    auto int8 = use(3, "finbert", 1, 100);
    int8.model += " int8";
    const auto mixed = report({use(1, "finbert", 5, 100), int8});
    EXPECT_DOUBLE_EQ(mixed["fixed"]["seconds_per_text"], 0.03);
}

TEST(PolicyReport, TheFixedModelComputesInFp32WhateverFormOthersHad) {
    auto models = kModels;
    for (auto& one : models) {
        models::Proof proof;
        proof.form = "int8";
        proof.passed = true;
        proof.speedup = 2;
        one.proofs = {proof};
    }
    const auto seconds_per_text = [&](const std::string& name) {
        auto int8 = use(1, name, 1, 100);
        int8.model += " int8";
        return policy_report(
                   std::vector{int8, use(2, name, 2, 100)}, models,
                   {.from = kFrom, .hours = 24, .against = "finbert"})["fixed"]["seconds_per_text"]
            .get<double>();
    };
    EXPECT_DOUBLE_EQ(seconds_per_text("finbert"), 0.02);
    EXPECT_DOUBLE_EQ(seconds_per_text("distilbert"), 0.04);
}

TEST(PolicyReport, UnknownValuesAreNull) {
    const auto nothing = report({});
    EXPECT_EQ(nothing["texts"], 0);
    EXPECT_EQ(nothing["fixed"]["device_seconds"], nullptr);
    EXPECT_EQ(nothing["mean_memory_bytes"], 0);
    const auto vader = report({use(1, "", 0.1, 200)});
    EXPECT_EQ(vader["device_seconds"], 0);
    EXPECT_EQ(vader["fixed"]["device_seconds"], nullptr) << "no device said what a text takes";
    EXPECT_EQ(vader["fixed"]["saved_memory_percent"], 100);
    EXPECT_EQ(report({}, "roberta")["fixed"], nullptr);
    const auto gone = report({use(1, "roberta", 1, 10)});
    EXPECT_EQ(gone["models"][0]["memory_bytes"], nullptr);
    EXPECT_EQ(gone["mean_memory_bytes"], nullptr);
    EXPECT_EQ(gone["fixed"]["saved_memory_percent"], nullptr);
    EXPECT_EQ(gone["fixed"]["basis"], nullptr);
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment::policy_report_test
