// Files of weights, whose headers describe a model: GGUF's, and safetensors' without a config.json.
#include "server/kinds/training_config/command/weights_header.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace plimsoll::jobs::training_config {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class WeightsHeader : public ::testing::Test {
  protected:
    WeightsHeader() {
        auto name = (fs::temp_directory_path() / "weights-XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~WeightsHeader() override { fs::remove_all(folder_); }

    fs::path file(const char* name, const std::string& bytes) const {
        std::ofstream(folder_ / name, std::ios::binary) << bytes;
        return folder_ / name;
    }
    std::string refused(const fs::path& path) const {
        const auto config = config_of_weights(path);
        return config ? "" : config.error().message;
    }

    fs::path folder_;
};

template <class Number>
std::string raw(Number number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
}
std::string text(const std::string& of) { return raw(std::uint64_t{of.size()}) + of; }
std::string word(const std::string& key, const std::string& value) {
    return text(key) + raw(std::uint32_t{8}) + text(value);
}
std::string number(const std::string& key, std::uint32_t value) {
    return text(key) + raw(std::uint32_t{4}) + raw(value);
}
std::string tensor(const std::string& name, std::uint64_t inner, std::uint64_t outer) {
    return text(name) + raw(std::uint32_t{2}) + raw(inner) + raw(outer) + raw(std::uint32_t{1}) +
           raw(std::uint64_t{0});
}

std::string gguf(const std::vector<std::string>& values, const std::vector<std::string>& tensors) {
    auto out = "GGUF" + raw(std::uint32_t{3}) + raw(std::uint64_t{tensors.size()}) +
               raw(std::uint64_t{values.size()});
    for (const auto& value : values) out += value;
    for (const auto& one : tensors) out += one;
    return out;
}

std::string qwen() {
    const std::string tokens = text("tokenizer.ggml.tokens") + raw(std::uint32_t{9}) +
                               raw(std::uint32_t{8}) + raw(std::uint64_t{2}) + text("a") +
                               text("b");
    return gguf(
        {word("general.architecture", "qwen3"), tokens, number("qwen3.block_count", 28),
         number("qwen3.embedding_length", 1024), number("qwen3.feed_forward_length", 3072),
         number("qwen3.attention.head_count", 16), number("qwen3.attention.head_count_kv", 8),
         number("qwen3.attention.key_length", 128)},
        {tensor("token_embd.weight", 1024, 151'936)});
}

TEST_F(WeightsHeader, OfGgufIsAConfig) {
    const auto config = config_of_weights(file("q.gguf", qwen()));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(*config, json::parse(R"({"model_type": "qwen3", "dtype": "bfloat16",
        "hidden_size": 1024, "num_hidden_layers": 28, "intermediate_size": 3072, "head_dim": 128,
        "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 151936,
        "tie_word_embeddings": true})"));
    const auto mixture = config_of_weights(
        file("m.gguf", gguf({word("general.architecture", "llama"), number("llama.expert_count", 8),
                             number("llama.expert_used_count", 2)},
                            {tensor("output.weight", 64, 1000)})));
    ASSERT_TRUE(mixture);
    EXPECT_EQ((*mixture)["model_type"], "mixtral");
    EXPECT_EQ((*mixture)["num_local_experts"], 8);
    EXPECT_EQ((*mixture)["tie_word_embeddings"], false);
}

TEST_F(WeightsHeader, OfDamagedGgufIsRefused) {
    const auto whole = qwen();
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_THAT(refused(file("cut.gguf", whole.substr(0, length))),
                    HasSubstr("not that of GGUF"))
            << length;
    auto long_text = whole;
    long_text.replace(24, 8, raw(~std::uint64_t{0}));
    EXPECT_THAT(refused(file("long.gguf", long_text)), HasSubstr("not that of GGUF"));
    EXPECT_THAT(refused(file("m.gguf", gguf({word("general.architecture", "mpt")}, {}))),
                HasSubstr("mpt, is not read from GGUF"));
}

std::string safetensors(const json& shapes) {
    json header;
    std::uint64_t at = 0;
    for (const auto& [name, shape] : shapes.items()) {
        std::uint64_t bytes = 2;
        for (const auto& side : shape) bytes *= side.get<std::uint64_t>();
        header[name] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
        at += bytes;
    }
    const auto written = header.dump();
    return raw(std::uint64_t{written.size()}) + written + std::string(at, '\0');
}

json decoder() {
    return json::parse(R"({"model.embed_tokens.weight": [100, 256], "lm_head.weight": [100, 256],
        "model.layers.0.input_layernorm.weight": [256],
        "model.layers.0.post_attention_layernorm.weight": [256], "model.layers.1.input_layernorm.weight": [256],
        "model.layers.0.self_attn.q_proj.weight": [256, 256],
        "model.layers.0.self_attn.k_proj.weight": [128, 256],
        "model.layers.0.mlp.gate_proj.weight": [512, 256]})");
}

TEST_F(WeightsHeader, OfSafetensorsHasTheSizesOfADecoder) {
    const auto config = config_of_weights(file("model.safetensors", safetensors(decoder())));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(*config, json::parse(R"({"model_type": "llama", "dtype": "bfloat16",
        "hidden_size": 256, "num_hidden_layers": 2, "intermediate_size": 512, "head_dim": 64,
        "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
        "tie_word_embeddings": false, "max_position_embeddings": 131072})"));
    auto own_heads = decoder();
    own_heads["model.layers.0.self_attn.q_norm.weight"] = {32};
    const auto qwen3 = config_of_weights(file("q.safetensors", safetensors(own_heads)));
    ASSERT_TRUE(qwen3);
    EXPECT_EQ((*qwen3)["model_type"], "qwen3");
    EXPECT_EQ((*qwen3)["num_attention_heads"], 8);
}

TEST_F(WeightsHeader, OfPartsNeedsThemAll) {
    json first, second, index;
    const auto whole = decoder();
    for (const auto& [name, shape] : whole.items()) {
        const bool later = name.starts_with("model.layers");
        (later ? second : first)[name] = shape;
        index["weight_map"][name] =
            later ? "model-00002-of-00002.safetensors" : "model-00001-of-00002.safetensors";
    }
    file("model.safetensors.index.json", index.dump());
    const auto one = file("model-00001-of-00002.safetensors", safetensors(first));
    EXPECT_NE(refused(one), "");
    file("model-00002-of-00002.safetensors", safetensors(second));
    const auto config = config_of_weights(one);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ((*config)["num_hidden_layers"], 2);
}

TEST_F(WeightsHeader, OfOtherModelsAsksForTheConfig) {
    EXPECT_THAT(refused(file("b.safetensors",
                             safetensors({{"bert.embeddings.word_embeddings.weight", {10, 8}}}))),
                HasSubstr("config.json beside it"));
    auto gemma = decoder();
    gemma["model.layers.0.pre_feedforward_layernorm.weight"] = {256};
    EXPECT_THAT(refused(file("g.safetensors", safetensors(gemma))), HasSubstr("config.json"));
    auto parallel = decoder();
    parallel.erase("model.layers.0.post_attention_layernorm.weight");
    EXPECT_THAT(refused(file("c.safetensors", safetensors(parallel))), HasSubstr("config.json"));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
