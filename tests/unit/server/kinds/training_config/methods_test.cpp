// Methods that change how a step is computed: by argument, in snippets, and where they are not
// possible.
#include "tests/unit/server/kinds/training_config/estimates.hpp"

#include <gmock/gmock.h>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json with(const char* preset, json training, const char* gpu = "a100_40gb") {
    return bert(
        {{"model", {{"preset", preset}}}, {"training", std::move(training)}, {"gpus", {gpu}}});
}

// The place of the first error; empty without one.
std::string refused(const json& args) {
    const auto plan = find_contract("training-config")->plan(args, {});
    return plan ? "" : plan.error().front().pointer;
}

TEST(TrainingMethods, TakeLessMemoryAndAreInTheSnippets) {
    const auto used = [](const json& training) {
        const json card = card_of(with("llama-3.2-1b", training));
        return card["memory"]["device_used_bytes"].get<std::int64_t>();
    };
    const json usual = {{"sequence_length", 1024}, {"batch", 4}};
    auto fused = usual, packed = usual, both = usual;
    fused["fused_loss"] = true;
    packed["packed"] = true;
    both["packed"] = true;
    both["attention"] = "flash_attention_2";
    EXPECT_LT(used(fused), used(usual)) << "logits of 128 thousand words";
    EXPECT_GT(used(packed), used(both)) << "a mask of the whole row";

    auto all = both;
    all["fused_loss"] = true;
    all["lora"] = {{"rank", 8}, {"dora", true}};
    const auto pasted =
        card_of(with("llama-3.2-1b", all))["snippets"]["transformers"].get<std::string>();
    for (const char* part : {"set_attn_implementation(\"flash_attention_2\")", "use_dora=True",
                             "use_liger_kernel=True", "DataCollatorWithFlattening"})
        EXPECT_THAT(pasted, HasSubstr(part));
}

TEST(TrainingMethods, AreRefusedWhereTheyDoNotExist) {
    const json flash = {{"attention", "flash_attention_2"}};
    EXPECT_EQ(refused(with("llama-1b", flash)), "");
    EXPECT_EQ(refused(with("llama-1b", flash, "t4")), "/training/attention");
    EXPECT_EQ(refused(with("t5-base", flash)), "/training/attention");
    auto wide = flash;
    wide["precision"] = "fp32";
    EXPECT_EQ(refused(with("llama-1b", wide)), "/training/attention");
    EXPECT_EQ(refused(with("bert-base", {{"packed", true}})), "/training/packed");
    EXPECT_EQ(refused(with("llama-1b", {{"packed", true}, {"padded", true}})), "/training/packed");
    EXPECT_EQ(refused(with("gpt2", {{"fused_loss", true}})), "/training/fused_loss");
    EXPECT_EQ(refused(with("gpt2", {{"target_length", 64}})), "/training/target_length");
    const json eight_bits = {{"lora", {{"rank", 8}, {"dora", true}}}, {"quantization", "int8"}};
    EXPECT_EQ(refused(with("llama-1b", eight_bits)), "/training/lora/dora");
}

TEST(TrainingMethods, VllmBesideTheTrainerTakesItsShare) {
    const json elsewhere = {
        {"method", "grpo"},       {"generation", "vllm"},  {"batch", 4},
        {"sequence_length", 512}, {"checkpointing", true}, {"lora", {{"rank", 8}}}};
    const auto card = [&](json vllm, const char* gpu = "a100_40gb") -> json {
        auto training = elsewhere;
        if (!vllm.is_null()) training["vllm"] = std::move(vllm);
        return card_of(with("llama-3.2-3b", training, gpu));
    };
    const auto used = [](const json& told) {
        return told["memory"]["device_used_bytes"].get<std::int64_t>();
    };
    const auto alone = card(nullptr), beside = card({{"memory_share", 0.3}});
    const auto total = alone["gpu"]["total_bytes"].get<double>();
    EXPECT_NEAR(static_cast<double>(used(beside) - used(alone)), 0.3 * total, 1);
    EXPECT_LT(beside["max_batch"], alone["max_batch"]);
    EXPECT_THAT(beside["snippets"]["transformers"].get<std::string>(),
                HasSubstr("vllm_gpu_memory_utilization=0.3"));
    std::int64_t sum = 0;
    for (const json& part : beside["breakdown"]) sum += part["bytes"].get<std::int64_t>();
    EXPECT_EQ(sum, used(beside));

    const auto asleep = card({{"memory_share", 0.3}, {"sleep", true}});
    EXPECT_EQ(asleep["max_batch"], alone["max_batch"]);
    EXPECT_THAT(asleep["why"].get<std::string>(), HasSubstr("vLLM asleep"));
    // Awake, it does not fit beside the weights.
    const auto awake = card({{"memory_share", 0.8}, {"sleep", true}});
    EXPECT_EQ(awake["fits"], "no");
    EXPECT_EQ(awake["max_batch"], 0);
    EXPECT_THAT(awake["why"].get<std::string>(), HasSubstr("While vLLM generates"));
    const auto narrow = card({{"memory_share", 0.1}});
    EXPECT_EQ(narrow["fits"], "no");
    EXPECT_THAT(narrow["why"].get<std::string>(), HasSubstr("It needs a share of more than 0.16"));

    auto eight_bits = elsewhere;
    eight_bits["vllm"] = {{"memory_share", 0.3}};
    eight_bits["quantization"] = "int8";
    EXPECT_EQ(refused(with("llama-1b", eight_bits)), "/training/quantization");
    auto other = elsewhere;
    other["generation"] = "transformers";
    other["vllm"] = {{"memory_share", 0.3}};
    EXPECT_EQ(refused(with("llama-1b", other)), "/training/vllm/memory_share");
}

TEST(TrainingMethods, AnEncoderDecoderHasTwoLengths) {
    const auto used = [](int target) {
        const json card = card_of(
            with("t5-base", {{"sequence_length", 512}, {"target_length", target}, {"batch", 8}}));
        return card["memory"]["device_used_bytes"].get<std::int64_t>();
    };
    EXPECT_LT(used(64), used(512));
    json dimensions = {{"family", "t5"}, {"layers", 2}, {"hidden", 256}, {"heads", 4}};
    const auto described = [&] { return bert({{"model", {{"dimensions", dimensions}}}}); };
    EXPECT_EQ(refused(described()), "");
    dimensions["decoder_layers"] = 4;
    EXPECT_EQ(refused(described()), "");
    dimensions["family"] = "llama";
    EXPECT_EQ(refused(described()), "/model/dimensions/decoder_layers");
}

TEST(TrainingMethods, ListsWhatWasNotCompared) {
    const auto limits = [](json more) {
        return summary_of(bert(std::move(more)))["limits"].size();
    };
    const json lora = {{"lora", {{"rank", 8}}}};
    const auto usual = limits(json::object());
    EXPECT_EQ(limits({{"model", {{"preset", "qwen3-0.6b"}}}}), usual);
    EXPECT_EQ(limits({{"training", lora}}), usual);
    auto outliers = lora;
    outliers["quantization"] = "int8";
    EXPECT_EQ(limits({{"training", outliers}}), usual + 1);
    EXPECT_EQ(limits({{"cluster", {{"cards", 2}}}}), usual + 1);
}

TEST(TrainingMethods, NamesTheEvidenceForExactlySuchARun) {
    const auto basis = [](json more) {
        const json summary = summary_of(bert(std::move(more)));
        return summary["bases"][0]["why"].get<std::string>();
    };
    EXPECT_NE(basis(json::object()).find("of PyTorch 2.11, transformers 5.17"), std::string::npos);
    EXPECT_NE(basis(json::object()).find("148 runs on an H100"), std::string::npos);
    const json other = {{"model", {{"preset", "qwen3-0.6b"}}}};
    for (const json& more : {other, json{{"training", {{"optimizer", "adafactor"}}}}})
        EXPECT_NE(basis(more).find("not compared with a GPU"), std::string::npos) << more;
    EXPECT_NE(basis({{"cluster", {{"cards", 2}}}}).find("DDP"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
