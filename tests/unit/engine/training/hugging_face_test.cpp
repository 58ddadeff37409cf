#include "engine/training/models/hugging_face.hpp"

#include "engine/training/models/parameters.hpp"
#include "engine/training/models/presets.hpp"

#include <gmock/gmock.h>

namespace plimsoll::training {
namespace {

using testing::HasSubstr;

std::int64_t parameters(const ModelShape& s) {
    return count(list_parameters(s, {}), false);
}

TEST(HuggingFaceConfig, ReadsEveryKnownFamily) {
    const auto bert = from_hugging_face(R"({"model_type":"bert","hidden_size":384,
        "num_hidden_layers":6,"num_attention_heads":12,"intermediate_size":1536,"vocab_size":30522,
        "max_position_embeddings":512,"type_vocab_size":2,"hidden_act":"gelu","num_labels":3})");
    ASSERT_TRUE(bert) << bert.error().message;
    EXPECT_EQ(parameters(*bert), parameters(*preset("minilm-l6")));

    const auto distil = from_hugging_face(R"({"model_type":"distilbert","dim":768,"n_layers":6,
        "n_heads":12,"hidden_dim":3072,"vocab_size":30522,"max_position_embeddings":512,
        "activation":"gelu","id2label":{"0":"a","1":"b","2":"c"}})");
    ASSERT_TRUE(distil) << distil.error().message;
    EXPECT_EQ(parameters(*distil), parameters(*preset("distilbert")));

    const auto roberta = from_hugging_face(R"({"model_type":"roberta","hidden_size":768,
        "num_hidden_layers":12,"num_attention_heads":12,"intermediate_size":3072,
        "vocab_size":50265,"max_position_embeddings":514,"type_vocab_size":1,"num_labels":3})");
    ASSERT_TRUE(roberta);
    EXPECT_EQ(parameters(*roberta), parameters(*preset("roberta-base")));

    const auto gpt2 = from_hugging_face(R"({"model_type":"gpt2","n_embd":768,"n_layer":12,
        "n_head":12,"n_positions":1024,"vocab_size":50257,"activation_function":"gelu_new",
        "architectures":["GPT2LMHeadModel"]})");
    ASSERT_TRUE(gpt2) << gpt2.error().message;
    EXPECT_EQ(parameters(*gpt2), 124'439'808);
    EXPECT_EQ(gpt2->activation, Activation::gelu_new);

    const auto llama = from_hugging_face(R"({"model_type":"llama","hidden_size":4096,
        "num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,
        "intermediate_size":14336,"vocab_size":128256,"tie_word_embeddings":false,
        "hidden_act":"silu","architectures":["LlamaForCausalLM"]})");
    ASSERT_TRUE(llama) << llama.error().message;
    EXPECT_EQ(parameters(*llama), 8'030'261'248);
}

TEST(HuggingFaceConfig, ErrorsPointIntoTheFile) {
    const auto where = [](const char* json) { return from_hugging_face(json).error().where; };
    EXPECT_EQ(where("[]"), "");
    EXPECT_EQ(where("{nonsense"), "");
    EXPECT_EQ(where(R"({"model_type":"mamba"})"), "/model_type");
    EXPECT_THAT(from_hugging_face(R"({"model_type":"mamba"})").error().message,
                HasSubstr("distilbert"));
    const std::string base = R"({"model_type":"bert","intermediate_size":3072,"vocab_size":30522,
        "max_position_embeddings":512,)";
    EXPECT_EQ(where((base + R"("hidden_size":768,"num_hidden_layers":12})").c_str()),
              "/num_attention_heads");
    EXPECT_EQ(where((base + R"("hidden_size":768,"num_hidden_layers":12,
        "num_attention_heads":7})")
                        .c_str()),
              "/num_attention_heads");
    EXPECT_EQ(where((base + R"("hidden_size":768,"num_hidden_layers":0,
        "num_attention_heads":12})")
                        .c_str()),
              "/num_hidden_layers");
    EXPECT_EQ(where((base + R"("hidden_size":1e300,"num_hidden_layers":12,
        "num_attention_heads":12})")
                        .c_str()),
              "/hidden_size");
    EXPECT_EQ(where((base + R"("hidden_size":"wide","num_hidden_layers":12,
        "num_attention_heads":12})")
                        .c_str()),
              "/hidden_size");
}

}  // namespace
}  // namespace plimsoll::training
