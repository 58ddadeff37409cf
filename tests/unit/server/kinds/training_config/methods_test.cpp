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

}  // namespace
}  // namespace plimsoll::jobs::training_config
