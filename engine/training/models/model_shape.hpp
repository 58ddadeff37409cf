#pragma once

#include "engine/base/result.hpp"
#include "engine/training/models/decoder_traits.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::training {

// The code that computes the model, named as in transformers if it has it: it determines which
// tensors a training step saves.
enum class Family {
    bert,        // post-LN encoder with pooler (BERT, MiniLM)
    distilbert,  // post-LN encoder without token types or pooler
    roberta,     // BERT layers, own classification head
    deberta_v2,  // post-LN encoder that attends to relative positions (DeBERTa-v3)
    modernbert,  // pre-LN encoder, rotary positions, gated feed-forward, windows in most layers
    vit,         // pre-LN encoder of an image's patches
    whisper,     // pre-LN encoder of sound, with a classifier
    t5,          // RMSNorm encoder and decoder that attends to it, biases of relative positions
    gpt2,        // pre-LN decoder with Conv1D and fused q,k,v
    gpt_neox,    // pre-LN decoder, attention and feed-forward side by side (Pythia)
    llama,   // RMSNorm, rotary positions, gated feed-forward, grouped k and v (also Mistral, Qwen2)
    qwen3,   // as llama, with norms of every head's q and k
    gemma,   // as llama, with scaled embeddings and norms that multiply by 1 + weight
    gemma2,  // and norms after both blocks, capped logits, every other layer with a window
    gemma3,  // and norms of every head's q and k; uncapped, five layers of six with a window
    phi3,    // as llama, q,k,v in one product, gate and up in one (also Phi-4)
    granite,     // as llama, with embeddings, residuals and logits multiplied by numbers
    olmo2,       // as llama, norms after both blocks instead of before, and of all of q and k
    olmo3,       // and three layers of four with a window
    exaone4,     // norms after both blocks, and of every head's q and k
    starcoder2,  // as llama, with LayerNorm and a feed-forward of two products
    opt,         // likewise, with positions from a table
    mixtral,     // as llama, mixture of experts
    qwen2_moe,   // mixture of experts plus one that every token uses
    qwen3_moe,   // as qwen3, mixture of experts
    naics,       // several BERT channels, mixture of experts, contrastive loss over negatives
    temporal,    // torch.nn.Transformer over numeric series
    lstm,        // cuDNN LSTM over numeric series
};
enum class Head { classifier, language_model };
enum class Activation { gelu, gelu_new, gelu_tanh, silu, relu };

std::string_view to_string(Family family);
std::string_view to_string(Head head);
std::string_view to_string(Activation activation);

// Of layers with linear attention: heads, their widths, and the tokens that a convolution reads,
// which may be all there is.
struct LinearHeads {
    int keys = 0, values = 0, key_dim = 0, value_dim = 0, kernel = 0;

    std::int64_t key_width() const { return std::int64_t{keys} * key_dim; }
    std::int64_t value_width() const { return std::int64_t{values} * value_dim; }
    std::int64_t channels() const { return 2 * key_width() + value_width(); }  // of q, k and v
};

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
    bool stored_half =
        false;  // the checkpoint's weights have 16 bits; transformers 5 loads them so
    Activation activation = Activation::gelu;
    double hidden_dropout = 0.1;
    double attention_dropout = 0.1;
    bool tied_head = true;        // the language-model head shares the word embeddings
    bool qkv_bias = true;         // of the projections to q, k and v
    bool output_bias = false;     // of attention's output; decoders with RMSNorm
    bool ffn_bias = false;        // of the feed-forward; decoders with RMSNorm
    bool parallel_blocks = true;  // gpt_neox: attention and feed-forward read the same input
    double rotary_share = 1;      // share of a head's numbers that rotary positions turn
    int unturned_every = 0;       // every n-th layer has no rotary positions (SmolLM3)
    int window = 0;               // tokens that a query sees; 0 = all before it
    int full_every =
        0;            // one in n layers has full attention; 0 = the window applies to every layer
    int full_at = 0;  // which of the n
    std::vector<bool> full_layers = {};  // all of them, if they follow no such period
    int full_head_dim = 0;               // Gemma 4: layers without a window have heads of their own
    int full_kv_heads = 0;               // likewise; 0 = as many as others
    bool keys_as_values = false;         // whose k and v are one product
    int sharing_layers = 0;              // the last ones, which read the k and v of one before them
    bool wide_sharing = false;           // whose feed-forward is twice as wide
    int layer_inputs = 0;          // numbers that a layer gets from a table of words of its own
    std::int64_t layer_vocab = 0;  // words of that table
    LinearHeads linear = {};       // of all layers but those with full attention
    bool capped_scores = false;    // gemma2: eager attention's scores through tanh
    bool capped_logits = false;    // gemma2: the language model's logits through tanh
    int channels = 1;              // naics: encoders side by side
    int experts = 0;               // mixtures of experts
    int experts_per_row = 0;       // experts used per token (naics: per text)
    int expert_hidden = 0;
    int expert_cards = 1;  // among which a layer's experts are divided, in torchtitan's layer
    int shared_expert_hidden = 0;    // of the expert that every token uses
    int dense_layers = 0;            // the first layers, without experts
    int experts_every = 1;           // Llama 4: one in n layers has experts
    int query_rank = 0;              // DeepSeek: width of q's latent; 0 = none
    int kv_rank = 0;                 // DeepSeek: of k's and v's
    int value_dim = 0;               // DeepSeek: numbers of a head's v
    bool normalised_routing = true;  // a token's gates add up to 1
    bool router_loss = false;        // an auxiliary loss balances the experts' load
    int position_buckets = 0;        // deberta_v2: distinct relative positions to each side
    int decoder_layers = 0;          // t5: besides those of its encoder
    bool gated = false;              // t5: feed-forward of two products
    bool scaled_output = false;      // t5: the decoder's result is scaled before the head
    bool mean_pooling = false;       // modernbert: the classifier reads the mean, not the first
    int image_size = 0;              // vit: pixels of a side
    int patch_size = 0;              // vit: pixels of a patch's side
    int image_channels = 3;          // vit
    int projection = 0;              // whisper: width of what the classifier reads
    int features = 0;                // series models: numbers per time step; whisper: mel bins
    int horizon = 0;                 // series models: predicted steps
    bool begins = true;              // has the embeddings: not of a pipeline's later stages
    bool ends = true;                // has the last norm and the head: of its last stage
    std::int64_t towers = 0;         // parameters of encoders of images, frozen beside the text's
    std::string completed = {};      // what a config.json left to its class's defaults
    std::string noted = {};          // how what is modelled differs from it
    // Of a config.json whose type is no family of its own.
    std::optional<DecoderTraits> own_traits = {};

    bool is_series() const { return family == Family::temporal || family == Family::lstm; }
    bool is_decoder() const {
        return family == Family::gpt2 || family == Family::gpt_neox || has_rms_norm();
    }
    // Decoders like Llama, most of them with RMSNorm.
    bool has_rms_norm() const { return family >= Family::llama && family <= Family::qwen3_moe; }
    // Models of transformers, except that of the NAICS memory guide.
    bool is_text_or_features() const { return !is_series() && family != Family::naics; }
    bool reads_text() const { return !is_series() && sample_length() == 0; }
    // Positions of a sample if the model fixes them; 0 if the training decides.
    int sample_length() const {
        if (family == Family::whisper) return positions;
        if (family != Family::vit || patch_size == 0) return 0;
        return (image_size / patch_size) * (image_size / patch_size) + 1;
    }
    // Its layers' feed-forward is a mixture of experts.
    bool has_experts() const { return family >= Family::mixtral && family <= Family::qwen3_moe; }
    bool has_experts(int layer) const {
        return has_experts() && layer >= dense_layers && (layer + 1) % experts_every == 0;
    }
    DecoderTraits traits() const;
    int kv_width() const { return kv_heads * head_dim; }
    int q_width() const { return heads * head_dim; }
    int attended_width() const { return value_dim > 0 ? heads * value_dim : q_width(); }
    int rotary_width() const { return static_cast<int>(head_dim * rotary_share); }
    // An encoder, and a decoder with its own text.
    bool has_decoder() const { return family == Family::t5; }
    int all_layers() const { return layers * channels + decoder_layers; }
    bool has_rotary(int index) const {
        if (family == Family::opt) return false;
        if (family == Family::exaone4) return window == 0 || has_window(index);
        return unturned_every == 0 || (index + 1) % unturned_every != 0;
    }
    bool shares_keys(int index) const {
        return sharing_layers > 0 && index >= layers - sharing_layers;
    }
    // Gemma 4: keeps its k and v for later layers, though there may be none. The last layer that
    // has its own, and sees as much as they do.
    bool lends_keys(int index) const;
    // Of the layer's own sizes.
    ModelShape of_layer(int index) const;
    // Layer `index` is none of those with full attention.
    bool is_limited(int index) const {
        if (!full_layers.empty()) return !full_layers[static_cast<std::size_t>(index)];
        return full_every == 0 || index % full_every != full_at;
    }
    bool has_window(int index) const { return window > 0 && is_limited(index); }
    bool has_linear(int index) const { return linear.kernel > 0 && is_limited(index); }
};

// Checks every rule and fills derived fields (kv_heads, head_dim). An error's `where` is a JSON
// pointer into the description, such as "/heads".
Result<ModelShape> validated(ModelShape shape);

// Larger descriptions are rejected: no model trainable on one card comes near this.
inline constexpr double kMaxParameters = 4e12;

}  // namespace plimsoll::training
