#include "engine/training/models/presets.hpp"

#include "engine/base/closest.hpp"
#include "engine/training/models/hugging_face.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace plimsoll::training {
namespace {

ModelShape encoder(Family family, const char* name, int layers, int hidden, int heads, int ffn,
                   std::int64_t vocab, int positions, int token_types) {
    ModelShape s;
    s.family = family;
    s.name = name;
    s.layers = layers;
    s.hidden = hidden;
    s.heads = heads;
    s.ffn = ffn;
    s.vocab = vocab;
    s.positions = positions;
    s.token_types = token_types;
    return s;
}

ModelShape gpt2(const char* name, int layers, int hidden, int heads) {
    auto s = encoder(Family::gpt2, name, layers, hidden, heads, 4 * hidden, 50257, 1024, 0);
    s.head = Head::language_model;
    s.activation = Activation::gelu_new;
    return s;
}

ModelShape llama(const char* name, int layers, int hidden, int heads, int kv_heads, int ffn,
                 std::int64_t vocab, bool tied) {
    auto s = encoder(Family::llama, name, layers, hidden, heads, ffn, vocab, 0, 0);
    s.kv_heads = kv_heads;
    s.head = Head::language_model;
    s.activation = Activation::silu;
    s.hidden_dropout = s.attention_dropout = 0;
    s.tied_head = tied;
    s.qkv_bias = false;
    s.stored_half = true;
    return s;
}

ModelShape qwen3(const char* name, int layers, int hidden, int heads, int ffn, bool tied) {
    auto s = llama(name, layers, hidden, heads, 8, ffn, 151936, tied);
    s.family = Family::qwen3;
    s.head_dim = 128;
    return s;
}

ModelShape qwen2(const char* name, int layers, int hidden, int heads, int kv_heads, int ffn,
                 std::int64_t vocab, bool tied) {
    auto s = llama(name, layers, hidden, heads, kv_heads, ffn, vocab, tied);
    s.qkv_bias = true;
    return s;
}

ModelShape gemma(Family family, const char* name, int layers, int hidden, int heads, int kv_heads,
                 int ffn, std::int64_t vocab) {
    auto s = llama(name, layers, hidden, heads, kv_heads, ffn, vocab, true);
    s.family = family;
    s.head_dim = 256;
    s.activation = Activation::gelu_tanh;
    s.capped_scores = s.capped_logits = family == Family::gemma2;
    s.full_every = family == Family::gemma2 ? 2 : 6;
    s.full_at = s.full_every - 1;
    return s;
}

ModelShape phi3(const char* name, int layers, int hidden, int heads, int kv_heads, int ffn,
                std::int64_t vocab) {
    auto s = llama(name, layers, hidden, heads, kv_heads, ffn, vocab, false);
    s.family = Family::phi3;
    return s;
}

ModelShape modernbert(const char* name, int layers, int hidden, int heads, int ffn) {
    auto s = encoder(Family::modernbert, name, layers, hidden, heads, ffn, 50368, 8192, 0);
    s.hidden_dropout = s.attention_dropout = 0;
    s.window = 64;
    s.full_every = 3;
    s.mean_pooling = true;
    return s;
}

ModelShape deberta(const char* name, int layers, int hidden, int heads, int ffn) {
    auto s = encoder(Family::deberta_v2, name, layers, hidden, heads, ffn, 128100, 512, 0);
    s.position_buckets = 256;
    return s;
}

ModelShape t5(const char* name, int layers, int hidden, int heads, int ffn, bool newer) {
    auto s = encoder(Family::t5, name, layers, hidden, heads, ffn, 32128, 0, 0);
    s.head = Head::language_model;
    s.head_dim = 64;
    s.decoder_layers = layers;
    s.position_buckets = 32;
    s.gated = newer;
    s.scaled_output = s.tied_head = !newer;
    s.activation = newer ? Activation::gelu_new : Activation::relu;
    return s;
}

ModelShape vit(const char* name, int layers, int hidden, int heads, int ffn) {
    auto s = encoder(Family::vit, name, layers, hidden, heads, ffn, 0, 0, 0);
    s.hidden_dropout = s.attention_dropout = 0;
    s.image_size = 224;
    s.patch_size = 16;
    s.labels = 1000;
    return s;
}

ModelShape with_window(ModelShape s, int window) {
    s.window = window;
    return s;
}

ModelShape mixtral(const char* name) {
    auto s = llama(name, 32, 4096, 32, 8, 14336, 32000, false);
    s.family = Family::mixtral;
    s.experts = 8;
    s.experts_per_row = 2;
    s.expert_hidden = s.ffn;
    return s;
}

// Of the members in which its config.json differs from its class's defaults.
ModelShape published(const char* name, std::string_view config) {
    auto s = from_hugging_face(config).value();
    s.name = name;
    return s;
}

ModelShape gemma3(const char* name, const std::string& text) {
    return published(name, R"({"model_type":"gemma3","vision_config":{"hidden_size":1152,
        "intermediate_size":4304,"num_hidden_layers":27,"num_attention_heads":16,"image_size":896,
        "vision_use_head":false,
        "patch_size":14},"text_config":{"vocab_size":262208,"sliding_window":1024,)" +
                               text + "}}");
}

ModelShape naics() {
    auto s = encoder(Family::naics, "naics-4ch", 6, 384, 12, 1536, 30522, 512, 2);
    s.channels = 4;
    s.experts = 4;
    s.experts_per_row = 2;
    s.expert_hidden = 1024;
    return s;
}

ModelShape series(Family family, const char* name, int layers, int hidden, int heads, int ffn) {
    ModelShape s;
    s.family = family;
    s.name = name;
    s.layers = layers;
    s.hidden = hidden;
    s.heads = heads;
    s.ffn = ffn;
    s.features = 20;
    s.horizon = 14;
    s.activation = Activation::relu;
    return s;
}

std::vector<Preset> build() {
    using F = Family;
    std::vector<Preset> all{
        {encoder(F::bert, "bert-base", 12, 768, 12, 3072, 30522, 512, 2), "BERT base, uncased"},
        {encoder(F::bert, "bert-base-cased", 12, 768, 12, 3072, 28996, 512, 2), "BERT base, cased"},
        {encoder(F::bert, "bert-large", 24, 1024, 16, 4096, 30522, 512, 2), "BERT large, uncased"},
        {encoder(F::bert, "minilm-l6", 6, 384, 12, 1536, 30522, 512, 2), "MiniLM L6 H384"},
        {encoder(F::bert, "minilm-l12", 12, 384, 12, 1536, 30522, 512, 2), "MiniLM L12 H384"},
        {encoder(F::bert, "minilm-large", 24, 384, 12, 1536, 30522, 512, 2),
         "MiniLM with the depth of BERT large, H384"},
        {encoder(F::bert, "finbert", 12, 768, 12, 3072, 30522, 512, 2),
         "FinBERT (BERT base shape)"},
        {encoder(F::distilbert, "distilbert", 6, 768, 12, 3072, 30522, 512, 0), "DistilBERT base"},
        {encoder(F::roberta, "roberta-base", 12, 768, 12, 3072, 50265, 514, 1), "RoBERTa base"},
        {encoder(F::roberta, "roberta-large", 24, 1024, 16, 4096, 50265, 514, 1), "RoBERTa large"},
        {gpt2("gpt2", 12, 768, 12), "GPT-2, 124 million"},
        {gpt2("gpt2-medium", 24, 1024, 16), "GPT-2 medium"},
        {gpt2("gpt2-large", 36, 1280, 20), "GPT-2 large"},
        {gpt2("gpt2-xl", 48, 1600, 25), "GPT-2 XL"},
        {llama("llama-1b", 22, 2048, 32, 4, 5632, 32000, false), "TinyLlama 1.1B shape"},
        {llama("llama-3.2-1b", 16, 2048, 32, 8, 8192, 128256, true), "Llama 3.2 1B shape"},
        {llama("llama-3.2-3b", 28, 3072, 24, 8, 8192, 128256, true), "Llama 3.2 3B shape"},
        {llama("llama-7b", 32, 4096, 32, 32, 11008, 32000, false), "Llama 2 7B shape"},
        {llama("llama-8b", 32, 4096, 32, 8, 14336, 128256, false), "Llama 3 8B shape"},
        {llama("llama-70b", 80, 8192, 64, 8, 28672, 128256, false), "Llama 3 70B shape"},
        {llama("mistral-7b", 32, 4096, 32, 8, 14336, 32768, false),
         "Mistral 7B shape, version 0.3"},
        {qwen2("qwen2.5-0.5b", 24, 896, 14, 2, 4864, 151936, true), "Qwen2.5 0.5B shape"},
        {qwen2("qwen2.5-1.5b", 28, 1536, 12, 2, 8960, 151936, true), "Qwen2.5 1.5B shape"},
        {qwen2("qwen2.5-3b", 36, 2048, 16, 2, 11008, 151936, true), "Qwen2.5 3B shape"},
        {qwen2("qwen2.5-7b", 28, 3584, 28, 4, 18944, 152064, false), "Qwen2.5 7B shape"},
        {qwen2("qwen2.5-14b", 48, 5120, 40, 8, 13824, 152064, false), "Qwen2.5 14B shape"},
        {qwen2("qwen2.5-32b", 64, 5120, 40, 8, 27648, 152064, false), "Qwen2.5 32B shape"},
        {qwen2("qwen2.5-72b", 80, 8192, 64, 8, 29568, 152064, false), "Qwen2.5 72B shape"},
        {qwen3("qwen3-0.6b", 28, 1024, 16, 3072, true), "Qwen3 0.6B shape"},
        {qwen3("qwen3-1.7b", 28, 2048, 16, 6144, true), "Qwen3 1.7B shape"},
        {qwen3("qwen3-4b", 36, 2560, 32, 9728, true), "Qwen3 4B shape"},
        {qwen3("qwen3-8b", 36, 4096, 32, 12288, false), "Qwen3 8B shape"},
        {qwen3("qwen3-14b", 40, 5120, 40, 17408, false), "Qwen3 14B shape"},
        {qwen3("qwen3-32b", 64, 5120, 64, 25600, false), "Qwen3 32B shape"},
        {with_window(gemma(F::gemma2, "gemma-2-2b", 26, 2304, 8, 4, 9216, 256000), 4096),
         "Gemma 2 2B shape"},
        {with_window(gemma(F::gemma2, "gemma-2-9b", 42, 3584, 16, 8, 14336, 256000), 4096),
         "Gemma 2 9B shape"},
        {with_window(gemma(F::gemma3, "gemma-3-1b", 26, 1152, 4, 1, 6912, 262144), 512),
         "Gemma 3 1B shape"},
        {phi3("phi-3-mini", 32, 3072, 32, 32, 8192, 32064), "Phi-3 mini shape"},
        {phi3("phi-4", 40, 5120, 40, 10, 17920, 100352), "Phi-4 14B shape"},
        {mixtral("mixtral-8x7b"), "Mixtral 8x7B shape"},
        {published("gemma-2-27b", R"({"model_type":"gemma2","num_hidden_layers":46,
            "hidden_size":4608,"num_attention_heads":32,"num_key_value_heads":16,"head_dim":128,
            "intermediate_size":36864,"vocab_size":256000})"),
         "Gemma 2 27B shape"},
        {gemma3("gemma-3-4b", R"("num_hidden_layers":34,"hidden_size":2560,
            "num_attention_heads":8,"num_key_value_heads":4,"intermediate_size":10240)"),
         "Gemma 3 4B with its vision tower"},
        {gemma3("gemma-3-12b", R"("num_hidden_layers":48,"hidden_size":3840,
            "num_attention_heads":16,"num_key_value_heads":8,"intermediate_size":15360)"),
         "Gemma 3 12B with its vision tower"},
        {gemma3("gemma-3-27b", R"("num_hidden_layers":62,"hidden_size":5376,"head_dim":128,
            "num_attention_heads":32,"num_key_value_heads":16,"intermediate_size":21504)"),
         "Gemma 3 27B with its vision tower"},
        {published("mistral-nemo-12b", R"({"model_type":"mistral","num_hidden_layers":40,
            "hidden_size":5120,"num_key_value_heads":8,"head_dim":128,"vocab_size":131072,
            "sliding_window":null})"),
         "Mistral NeMo 12B shape"},
        {published("mistral-small-24b", R"({"model_type":"mistral","num_hidden_layers":40,
            "hidden_size":5120,"num_key_value_heads":8,"head_dim":128,"vocab_size":131072,
            "intermediate_size":32768,"sliding_window":null})"),
         "Mistral Small 3 24B shape"},
        {published("smollm3-3b", R"({"model_type":"smollm3"})"), "SmolLM3 3B shape"},
        {published("gpt-oss-20b", R"({"model_type":"gpt_oss","num_hidden_layers":24,
            "num_local_experts":32})"),
         "GPT-OSS 20B shape"},
        {published("qwen3-30b-a3b", R"({"model_type":"qwen3_moe","num_hidden_layers":48,
            "hidden_size":2048,"num_attention_heads":32,"num_key_value_heads":4,"head_dim":128,
            "intermediate_size":6144,"moe_intermediate_size":768,"num_experts":128,"num_experts_per_tok":8,
            "vocab_size":151936})"),
         "Qwen3 30B A3B shape"},
        {deberta("deberta-v3-base", 12, 768, 12, 3072), "DeBERTa-v3 base"},
        {modernbert("modernbert-base", 22, 768, 12, 1152), "ModernBERT base"},
        {modernbert("modernbert-large", 28, 1024, 16, 2624), "ModernBERT large"},
        {t5("t5-small", 6, 512, 8, 2048, false), "T5 small"},
        {t5("t5-base", 12, 768, 12, 3072, false), "T5 base"},
        {t5("flan-t5-base", 12, 768, 12, 2048, true), "FLAN-T5 base"},
        {t5("flan-t5-large", 24, 1024, 16, 2816, true), "FLAN-T5 large"},
        {vit("vit-base", 12, 768, 12, 3072), "ViT base, patches of 16, images of 224"},
        {naics(), "four MiniLM channels, mixture of experts (NAICS memory guide)"},
        {series(F::temporal, "temporal", 4, 256, 8, 1024),
         "encoder-decoder for series (GPU profile guide)"},
        {series(F::lstm, "lstm", 2, 256, 0, 0), "two-layer LSTM for series"},
    };
    for (auto& p : all) p.shape = *validated(p.shape);
    return all;
}

// Names under which these models are published.
struct Alias {
    std::string_view name;
    std::string_view preset;
};
constexpr std::array<Alias, 11> kAliases = {{{"bert-base-uncased", "bert-base"},
                                             {"bert-large-uncased", "bert-large"},
                                             {"distilbert-base-uncased", "distilbert"},
                                             {"tinyllama-1.1b", "llama-1b"},
                                             {"mistral-nemo", "mistral-nemo-12b"},
                                             {"llama-2-7b", "llama-7b"},
                                             {"llama-3-8b", "llama-8b"},
                                             {"llama-3.1-8b", "llama-8b"},
                                             {"llama-3-70b", "llama-70b"},
                                             {"llama-3.1-70b", "llama-70b"},
                                             {"llama-3.3-70b", "llama-70b"}}};

}  // namespace

std::span<const Preset> presets() {
    static const auto all = build();
    return all;
}

Result<ModelShape> preset(std::string_view name) {
    std::string names;
    std::vector<std::string> known;
    const auto alias = std::ranges::find(kAliases, name, &Alias::name);
    const auto wanted = alias == kAliases.end() ? name : alias->preset;
    for (const auto& p : presets()) {
        if (p.shape.name == wanted) return p.shape;
        names += (names.empty() ? "" : ", ") + p.shape.name;
        known.push_back(p.shape.name);
    }
    for (const auto& other : kAliases) known.emplace_back(other.name);
    return fail(Errc::not_found,
                "There is no model preset named \"" + std::string(name) + "\"." +
                    did_you_mean(name, known) + " Valid names: " + names + ".",
                "/model/preset");
}

}  // namespace plimsoll::training
