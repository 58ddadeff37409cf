// What the kind assumes, adapts and says of runs on several cards.
#include "server/jobs/registry.hpp"
#include "server/kinds/training_config/contract/request.hpp"
#include "tests/unit/server/kinds/training_config/estimates.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// What nobody gave is said, and the guide's model is trained as its guide trains it.
TEST(TrainingConfigAnswer, AssumptionsAreListed) {
    const auto pointers = [](const json& args) {
        std::set<std::string> all;
        const json summary = summary_of(args);
        for (const json& one : summary["assumptions"]) all.insert(one["pointer"]);
        return all;
    };
    const json naics{{"model", {{"preset", "naics-4ch"}}}, {"gpus", {"rtx_6000"}}};
    EXPECT_TRUE(pointers(naics).contains("/training/lora/rank"));
    EXPECT_TRUE(pointers(naics).contains("/target_effective_batch"));
    const json card = card_of(naics);
    EXPECT_EQ(card["fits"], "yes");
    EXPECT_EQ(card["precision"], "fp16_autocast");
    EXPECT_EQ(card["batch"], 8) << "32 times 8 is the effective batch";
    EXPECT_GE(card["max_batch"], 8);
    EXPECT_LT(card["max_batch"], 16);
    json plain = naics;
    plain["training"] = {{"lora", {{"rank", 0}}}, {"checkpointing", false}};
    EXPECT_LT(card_of(plain)["max_batch"], 4);
    json told = bert({{"target_effective_batch", 32},
                      {"training", {{"sequence_length", 128}, {"precision", "fp32"}}},
                      {"learning_rate", {{"base", 2e-5}, {"base_batch", 32}}}});
    EXPECT_EQ(pointers(told), std::set<std::string>());
}

std::string assumed(const json& args, const char* pointer) {
    const json summary = summary_of(args);
    for (const json& one : summary["assumptions"])
        if (one["pointer"] == pointer) return one["value"];
    return {};
}

TEST(TrainingConfigAnswer, TheUsualAdaptersAreAssumed) {
    const json args = bert({{"training", {{"lora", json::object()}}}});
    EXPECT_EQ(assumed(args, "/training/lora/rank"), "8");
    EXPECT_EQ(assumed(args, "/training/lora/dropout"), "0.1");
    EXPECT_EQ(assumed(args, "/training/lora/targets"), "query_value");
    const json named =
        bert({{"training", {{"lora", {{"rank", 4}, {"dropout", 0}, {"modules", {"query"}}}}}}});
    for (const char* member : {"rank", "dropout", "targets"})
        EXPECT_EQ(assumed(named, (std::string("/training/lora/") + member).c_str()), "");
}

// Fused kernels have no dropout, and take weights in 4 or 16 bits.
TEST(TrainingConfigAnswer, FusedAdaptersAreWithoutDropout) {
    json args{{"model", {{"preset", "llama-1b"}}},
              {"gpus", {"rtx_4090"}},
              {"what_ifs", false},
              {"training", {{"lora", {{"rank", 4}}}, {"fused_adapters", true}}}};
    EXPECT_EQ(assumed(args, "/training/lora/dropout"), "0");
    args["training"]["quantization"] = "nf4";
    EXPECT_EQ(card_of(args)["precision"], "bf16");
}

// PEFT's own word for all layers.
TEST(TrainingConfigAnswer, AllLinearNamesEveryLayer) {
    json targets = bert({{"training", {{"lora", {{"rank", 4}, {"targets", "all_linear"}}}}}});
    json modules = bert({{"training", {{"lora", {{"rank", 4}, {"modules", {"all-linear"}}}}}}});
    EXPECT_EQ(card_of(modules)["memory"], card_of(targets)["memory"]);
    EXPECT_EQ(assumed(modules, "/training/lora/targets"), "");
    modules["training"]["lora"]["modules"].push_back("query");
    const auto refused = parse_request(modules);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().at(0).pointer, "/training/lora/modules/0");
}

// A rate that is known to work is not scaled from a batch that nobody named.
TEST(TrainingConfigAnswer, ARateWithoutItsBatchIsKept) {
    const json args = bert({{"learning_rate", {{"base", 3e-5}}}, {"target_effective_batch", 77}});
    EXPECT_EQ(assumed(args, "/learning_rate/base_batch"), "the run's effective batch");
    const json rate = card_of(args)["learning_rate"];
    EXPECT_EQ(rate["recommended"], 3e-5);
    EXPECT_EQ(rate["rule"], "unchanged");
    EXPECT_THAT(rate["why"].get<std::string>(), HasSubstr("is unchanged"));
}

// The conventions are Adam's: for SGD there is no rate, or the reader's own.
TEST(TrainingConfigAnswer, NoRateIsAssumedForSgd) {
    const json args = bert({{"training", {{"optimizer", "sgd_momentum"}}}});
    EXPECT_EQ(assumed(args, "/learning_rate/base"), "");
    const json card = card_of(args);
    for (const char* rate : {"base", "base_batch", "sqrt", "linear", "surge", "recommended"})
        EXPECT_TRUE(card["learning_rate"][rate].is_null()) << rate;
    EXPECT_EQ(card["learning_rate"]["rule"], "none");
    EXPECT_THAT(card["learning_rate"]["why"].get<std::string>(), HasSubstr("SGD's rate"));
    const json& snippets = card["snippets"];
    EXPECT_THAT(snippets["transformers"].get<std::string>(),
                HasSubstr("    # learning_rate: yours, since SGD's depends on the task\n"));
    EXPECT_THAT(snippets["lightning"].get<std::string>(), HasSubstr("  # learning_rate: yours"));
    EXPECT_THAT(snippets["pytorch"].get<std::string>(), HasSubstr("lr=learning_rate, momentum"));
    const json deepspeed = json::parse(snippets["deepspeed"].get<std::string>());
    EXPECT_FALSE(deepspeed["optimizer"]["params"].contains("lr"));
    json given = args;
    given["learning_rate"] = {{"base", 0.1}, {"base_batch", 8}};
    EXPECT_NEAR(card_of(given)["learning_rate"]["recommended"], 0.4, 1e-9);
}

TEST(TrainingConfigAnswer, TheSnippetOfT5TokenizesTargets) {
    const json card = card_of({{"model", {{"preset", "t5-small"}}},
                               {"training", {{"sequence_length", 256}, {"target_length", 64}}},
                               {"gpus", {"rtx_4090"}}});
    const auto snippet = card["snippets"]["transformers"].get<std::string>();
    EXPECT_THAT(snippet, HasSubstr("text_target=rows[\"target\"], truncation=True, max_length=64"));
    EXPECT_THAT(snippet, HasSubstr("\"labels\": targets[\"input_ids\"]"));
    EXPECT_THAT(snippet, HasSubstr("max_length=256"));
}

// A card trains in what it has; who asked for bf16 is told.
TEST(TrainingConfigAnswer, CardsWithoutBf16UseThePrecisionTheyHave) {
    const auto of = [](const char* gpu, const char* precision) {
        return card_of(bert({{"gpus", {gpu}}, {"training", {{"precision", precision}}}}));
    };
    EXPECT_EQ(of("rtx_4090", "auto")["precision"], "bf16_autocast");
    EXPECT_EQ(of("t4", "auto")["precision"], "fp16_autocast");
    const json old = of("k80", "auto");
    EXPECT_EQ(old["precision"], "fp32");
    EXPECT_THAT(old["snippets"]["transformers"].get<std::string>(), HasSubstr("bf16=False"));
    EXPECT_THAT(of("t4", "auto")["snippets"]["transformers"].get<std::string>(),
                HasSubstr("fp16=True"));
    EXPECT_THAT(of("t4", "bf16_autocast")["why"].get<std::string>(),
                HasSubstr("use fp16 autocast"));
}

// The snippets are of the run that was estimated: its stage, its optimizer, its weights.
TEST(TrainingConfigAnswer, SnippetsIncludeSharding) {
    const auto of = [](const char* sharding, const char* optimizer) {
        return card_of(bert({{"gpus", {"a100_80gb"}},
                             {"training", {{"optimizer", optimizer}}},
                             {"cluster", {{"cards", 8}, {"sharding", sharding}}}}))["snippets"];
    };
    for (int stage = 1; stage < 4; ++stage) {
        const json snippets = of(("zero" + std::to_string(stage)).c_str(), "sgd_momentum");
        const json config = json::parse(snippets["deepspeed"].get<std::string>());
        EXPECT_EQ(config["zero_optimization"]["stage"], stage);
        EXPECT_EQ(config["optimizer"]["type"], "SGD");
        EXPECT_EQ(config["optimizer"]["params"]["momentum"], 0.9);
        EXPECT_THAT(snippets["transformers"].get<std::string>(), HasSubstr("deepspeed="));
    }
    EXPECT_THAT(of("fsdp", "adamw")["transformers"].get<std::string>(), HasSubstr("fsdp=True"));
    EXPECT_FALSE(json::parse(of("zero2", "adafactor")["deepspeed"].get<std::string>())
                     .contains("optimizer"));
}

// One largest batch, whatever batch was asked about, and the headline is that of the cards.
TEST(TrainingConfigAnswer, TheLargestBatchDoesNotDependOnTheRequestedOne) {
    for (const char* sharding : {"ddp", "zero1", "zero2", "zero3", "fsdp"}) {
        std::set<std::int64_t> answers;
        for (const int batch : {0, 1, 4, 64}) {
            json args{{"model", {{"preset", "llama-7b"}}},
                      {"training", {{"sequence_length", 1024}}},
                      {"gpus", {"a100_80gb"}},
                      {"target_effective_batch", 64},
                      {"cluster", {{"cards", 8}, {"sharding", sharding}}}};
            if (batch > 0) args["training"]["batch"] = batch;
            const json card = card_of(args);
            answers.insert(card["max_batch"].get<std::int64_t>());
            EXPECT_EQ(card["shard"]["total_bytes"], card["memory"]["peak_allocated_bytes"]);
            if (batch == 0 && std::string_view(sharding) != "ddp") EXPECT_EQ(card["fits"], "yes");
        }
        EXPECT_EQ(answers.size(), 1U) << sharding;
    }
}

TEST(TrainingConfigAnswer, TheEffectiveBatchIsAtLeastTheRequestedBatch) {
    json args{{"model", {{"preset", "bert-base"}}},
              {"training", {{"batch", 400}}},
              {"gpus", {"a100_80gb"}},
              {"target_effective_batch", 256}};
    const auto refused = parse_request(args);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().at(0).pointer, "/target_effective_batch");
    args.erase("target_effective_batch");
    const auto assumed = parse_request(args);
    ASSERT_TRUE(assumed);
    EXPECT_EQ(assumed->report.target_effective_batch, 400);
}

// Of a requested batch that is too large, what makes room for it; of four GPUs with a copy of
// packed weights each, FSDP, which takes them in bf16.
TEST(TrainingConfigAnswer, ShortRunsAreToldWhatMakesRoom) {
    const json llama{{"model", {{"preset", "llama-8b"}}}, {"what_ifs", false}};
    json large = llama;
    large.update(
        {{"gpus", {"rtx_5090"}},
         {"training", {{"batch", 4}, {"lora", {{"rank", 16}}}, {"sequence_length", 1024}}}});
    const json card = card_of(large);
    ASSERT_EQ(card["fits"], "no");
    ASSERT_FALSE(card["what_ifs"].empty());
    for (const json& way : card["what_ifs"]) EXPECT_GE(way["max_batch"], 4) << way;
    json packed = llama;
    packed.update({{"cluster", {{"cards", 4}}},
                   {"training",
                    {{"quantization", "nf4"},
                     {"lora", {{"rank", 8}}},
                     {"checkpointing", true},
                     {"sequence_length", 1024}}}});
    packed["custom_gpus"] = json::parse(R"([{"memory_gib": 11}])");
    const json sharded =
        json::parse(R"({"cluster": {"sharding": "fsdp"}, "training": {"precision": "bf16"}})");
    const json ways = card_of(packed)["what_ifs"];
    EXPECT_TRUE(std::ranges::any_of(ways, [&](const json& way) {
        return way["arguments"] == sharded;
    })) << ways;
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
