#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::training {

// The code that computes the model: it determines which tensors a training step saves.
enum class Family {
    bert,        // post-LN encoder with pooler (BERT, MiniLM)
    distilbert,  // post-LN encoder without token types and pooler
    roberta,     // BERT layers, own classification head
    gpt2,        // pre-LN decoder with Conv1D and fused q,k,v
    llama,  // RMSNorm, rotary positions, gated feed-forward, grouped k and v (also Mistral, Qwen2)
    naics,  // several BERT channels, mixture of experts, contrastive loss over negatives
    temporal,  // torch.nn.Transformer over numeric series
    lstm,      // cuDNN LSTM over numeric series
};
enum class Head { classifier, language_model };
enum class Activation { gelu, gelu_new, gelu_tanh, silu, relu };

std::string_view to_string(Family family);
std::string_view to_string(Head head);
std::string_view to_string(Activation activation);

// A model by its dimensions. Fields that a family does not use are 0.
struct ModelShape {
    Family family = Family::bert;
    std::string name = {};
    int layers = 0;
    int hidden = 0;
    int heads = 0;
    int kv_heads = 0;  // = heads, except for grouped attention
    int head_dim = 0;  // hidden / heads by default
    int ffn = 0;
    std::int64_t vocab = 0;
    int positions = 0;
    int token_types = 0;
    int labels = 3;
    Head head = Head::classifier;
    Activation activation = Activation::gelu;
    double hidden_dropout = 0.1;
    double attention_dropout = 0.1;
    bool tied_head = true;    // the language-model head shares the word embeddings
    bool qkv_bias = true;     // llama family: true only for Qwen2
    int channels = 1;         // naics: encoders side by side
    int experts = 0;          // naics
    int experts_per_row = 0;  // naics: top-k
    int expert_hidden = 0;    // naics
    int features = 0;         // series models: numbers per time step
    int horizon = 0;          // series models: predicted steps

    bool is_series() const { return family == Family::temporal || family == Family::lstm; }
    bool is_decoder() const { return family == Family::gpt2 || family == Family::llama; }
    int kv_width() const { return kv_heads * head_dim; }
    int q_width() const { return heads * head_dim; }
};

// Checks every rule and fills derived fields (kv_heads, head_dim). An error's `where` is a JSON
// pointer into the description, such as "/heads".
Result<ModelShape> validated(ModelShape shape);

// Larger descriptions are rejected: no model trainable on one card comes near this.
inline constexpr double kMostParameters = 1e12;

}  // namespace plimsoll::training
