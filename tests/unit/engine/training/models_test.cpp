#include "engine/training/models/hugging_face.hpp"
#include "engine/training/models/parameters.hpp"
#include "engine/training/models/presets.hpp"

#include <gmock/gmock.h>

namespace plimsoll::training {
namespace {

using testing::HasSubstr;

std::int64_t parameters(const char* name) {
    return count(list_parameters(*preset(name), Lora{}), false);
}

// Published sizes; heads of three labels where the model has a classifier.
TEST(Presets, CountTheParametersOfThePublicModels) {
    EXPECT_EQ(parameters("bert-base"), 109'482'240 + 3 * 769);
    EXPECT_EQ(parameters("bert-large"), 335'141'888 + 3 * 1025);
    EXPECT_EQ(parameters("distilbert"), 66'362'880 + 768 * 769 + 3 * 769);
    EXPECT_EQ(parameters("roberta-base"), 124'055'040 + 768 * 769 + 3 * 769);
    EXPECT_EQ(parameters("minilm-l6"), 22'713'216 + 3 * 385);
    EXPECT_EQ(parameters("gpt2"), 124'439'808);
    EXPECT_EQ(parameters("llama-1b"), 1'100'048'384);
    EXPECT_EQ(parameters("llama-3.2-1b"), 1'235'814'400);
    EXPECT_EQ(parameters("llama-8b"), 8'030'261'248);
}

// accelerate estimate-memory bert-base-cased: 413.18 MB, training with Adam 1.61 GB = 4x (it counts
// the model without head, buffers included).
TEST(Presets, AccelerateCountsFourTimesTheSizeForAdam) {
    const auto shape = *preset("bert-base-cased");
    std::int64_t bytes = 4 * (parameters("bert-base-cased") - 3 * 769);
    for (const auto buffer : list_buffers(shape)) bytes += buffer;
    EXPECT_NEAR(static_cast<double>(bytes) / (1 << 20), 413.18, 0.005);
    EXPECT_NEAR(4.0 * static_cast<double>(bytes) / (1 << 30), 1.61, 0.005);
}

TEST(Presets, NaicsTrainsOnlyAdaptersAndExperts) {
    const auto list =
        list_parameters(*preset("naics-4ch"), {.rank = 8, .targets = Lora::Targets::all_linear});
    EXPECT_NEAR(static_cast<double>(count(list, true)) / 1e6, 14.54, 0.05);
}

TEST(Presets, UnknownNamesListTheValidOnes) {
    const auto missing = preset("bert-huge");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("roberta-large"));
}

TEST(ModelShape, RefusesImpossibleDimensionsByField) {
    const auto where = [](auto change) {
        auto shape = preset("bert-base").value();
        shape.head_dim = 0;
        change(shape);
        const auto checked = validated(shape);
        return checked ? std::string("accepted") : checked.error().where;
    };
    EXPECT_EQ(where([](auto& s) { s.heads = 7; }), "/heads");
    EXPECT_EQ(where([](auto& s) { s.layers = 0; }), "/layers");
    EXPECT_EQ(where([](auto& s) { s.hidden = -1; }), "/hidden");
    EXPECT_EQ(where([](auto& s) { s.vocab = 0; }), "/vocab");
    EXPECT_EQ(where([](auto& s) { s.kv_heads = 5; }), "/kv_heads");
    EXPECT_EQ(where([](auto& s) { s.hidden_dropout = std::nan(""); }), "/hidden_dropout");
    EXPECT_EQ(where([](auto& s) {
                  s.hidden = 262144, s.heads = s.kv_heads = 64, s.ffn = 1 << 20, s.layers = 1000;
              }),
              "/hidden");
    EXPECT_EQ(where([](auto&) {}), "accepted");
}

// As transformers 5.17 builds its classes' defaults, with their encoders of images.
TEST(ModelShape, ReadsQwen35) {
    const auto all = [](const ModelShape& s) { return count(list_parameters(s, Lora{}), false); };
    const auto dense = from_hugging_face(R"({"model_type":"qwen3_5","text_config":{}})");
    ASSERT_TRUE(dense) << dense.error().message;
    EXPECT_EQ(dense->towers, 453'650'672);
    EXPECT_EQ(all(*dense) - dense->towers, 8'953'803'264);
    EXPECT_FALSE(dense->has_linear(3));
    EXPECT_TRUE(dense->has_linear(4));
    EXPECT_THAT(dense->noted, HasSubstr("flash-linear-attention"));
    EXPECT_THAT(dense->noted, HasSubstr("texts without images"));
    const auto mixture = from_hugging_face(R"({"model_type":"qwen3_5_moe","text_config":{}})");
    ASSERT_TRUE(mixture) << mixture.error().message;
    EXPECT_EQ(all(*mixture) - mixture->towers, 34'660'610'688);
    const auto next = from_hugging_face(R"({"model_type":"qwen3_next"})");
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(all(*next), 79'674'391'296);
    EXPECT_EQ(linear_layers(*next).front(), "in_proj_qkvz");
    EXPECT_EQ(query_value_layers(*next),
              (std::vector<std::string>{"in_proj_qkvz", "q_proj", "v_proj"}));
    const auto wrong = [](const char* more) {
        return from_hugging_face(R"({"model_type":"qwen3_5_text",)" + std::string(more) + "}")
            .error()
            .where;
    };
    EXPECT_EQ(wrong(R"("linear_num_key_heads":0)"), "/linear_num_key_heads");
    EXPECT_EQ(wrong(R"("linear_num_value_heads":24)"), "/linear_num_value_heads");
    EXPECT_EQ(wrong(R"("full_attention_interval":0)"), "/full_attention_interval");
}

// As transformers 5.17 builds them: the defaults, LiquidAI/LFM2-1.2B, whose layers with attention
// follow no period, and a mixture.
TEST(ModelShape, ReadsLfm2) {
    const auto all = [](const std::string& json) {
        const auto shape = from_hugging_face(json);
        EXPECT_TRUE(shape) << shape.error().message;
        return shape ? count(list_parameters(*shape, Lora{}), false) : 0;
    };
    EXPECT_EQ(all(R"({"model_type":"lfm2"})"), 2'705'497'600);
    const std::string published = R"({"model_type":"lfm2","hidden_size":2048,"num_hidden_layers":16,
        "intermediate_size":12288,"full_attn_idxs":[2,5,8,10,12,14]})";
    EXPECT_EQ(all(published), 1'170'340'608);
    const auto shape = from_hugging_face(published);
    ASSERT_TRUE(shape);
    EXPECT_FALSE(shape->has_linear(14));
    EXPECT_TRUE(shape->has_linear(11));
    EXPECT_EQ(linear_layers(*shape),
              (std::vector<std::string>{"in_proj", "out_proj", "w1", "w3", "w2", "q_proj", "k_proj",
                                        "v_proj"}));
    std::string types;
    for (int i = 0; i < 32; ++i) types += i < 24 ? R"("conv",)" : R"("full_attention",)";
    types.pop_back();
    EXPECT_EQ(all(R"({"model_type":"lfm2_moe","layer_types":[)" + types + "]}"), 11'280'731'136);
    EXPECT_EQ(from_hugging_face(R"({"model_type":"lfm2","conv_bias":true})").error().where,
              "/conv_bias");
    EXPECT_EQ(all(R"({"model_type":"glm4_moe"})"), 103'481'200'640);
}

// What a type that nobody knows comes nearest to; classes of texts alone.
TEST(ModelShape, FollowsTheClassThatAFileNames) {
    const auto unknown = from_hugging_face(R"({"model_type":"nanochat",
        "architectures":["NanoChatForCausalLM"],"hidden_size":768,"num_hidden_layers":6,
        "num_attention_heads":6,"vocab_size":50304})")
                             .error();
    EXPECT_THAT(unknown.message, HasSubstr(R"(A llama of the same dimensions is the nearest)"));
    EXPECT_THAT(unknown.message, HasSubstr(R"("layers":6)"));
    const auto text = from_hugging_face(R"({"model_type":"qwen3_5","text_config":{},
        "architectures":["Qwen3_5ForCausalLM"]})");
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(text->towers, 0);
    EXPECT_EQ(from_hugging_face(R"({"model_type":"bart","architectures":["BartForCausalLM"]})")
                  .error()
                  .where,
              "/architectures");
}

}  // namespace
}  // namespace plimsoll::training
