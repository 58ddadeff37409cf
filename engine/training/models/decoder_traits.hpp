#pragma once

namespace plimsoll::training {

// How positions turn the numbers of q and k.
enum class Rotary {
    halves,   // the first half of a head's with the second
    part,     // likewise the first of them, joined to the others
    paired,   // neighbours among the first of them, by tables that each layer spreads (GLM)
    chunks,   // both halves apart, by tables of half a head, joined afterwards (GPT-OSS)
    apart,    // neighbours apart, joined afterwards (DeepSeek-V3)
    complex,  // as complex numbers in fp32 (DeepSeek-V2, Llama 4)
};

// How a mixture chooses experts and weighs them.
enum class Router {
    softmax,       // the largest probabilities, in the type of the logits
    wide_softmax,  // likewise, in fp32 (Mixtral)
    scaled,        // from logits in fp32, times a number (DeepSeek-V2)
    sigmoid,       // likewise, from groups, by sigmoids and a correction (DeepSeek-V3, GLM-4.5)
    corrected,     // by sigmoids in the type of the logits and a correction (LFM2)
    chosen,        // the probabilities of the largest logits alone (Granite, GPT-OSS)
};

// How a decoder differs from Llama. Others that share a family's code have traits of their own,
// too.
struct DecoderTraits {
    bool head_norms = false;       // of every head's q and k
    bool row_norms = false;        // of all of q and of k, before heads are parted
    bool unit_norms = false;       // multiply by 1 + weight, in fp32
    bool wide_norms = false;       // multiply by the weight in fp32
    bool power_norms = false;      // Gemma 4's, of every head's v, too
    bool scaled_words = false;     // times a number (Gemma)
    bool before_norms = true;      // for the inputs of attention and feed-forward
    bool outer_norms = false;      // for their outputs
    bool packed = false;           // q, k and v in one product
    bool packed_ffn = false;       // gate and up in one product
    bool multiplied = false;       // embeddings, both outputs and logits, by numbers
    bool layer_norms = false;      // LayerNorm, with biases
    bool plain = false;            // feed-forward of two products
    bool learned = false;          // positions from a table; q is multiplied by a number
    bool alibi = false;            // scores get a number by their distance; eager attention only
    bool inner_dropout = false;    // of the feed-forward's activations, too (BART)
    bool wide_rotary = false;      // tables and products in fp32
    bool two_rotaries = false;     // tables of their own for layers with a window
    bool latent = false;           // q, k and v from narrow latents (DeepSeek)
    bool sinks = false;            // a score of each head that no token gets; eager attention only
    bool scaled_queries = false;   // q times a number of its position (Ministral 3)
    bool unit_queries = false;     // q and k of turned layers to unit length (Llama 4)
    bool gated_attention = false;  // its result times a gate that q's product makes
    bool short_convolution = false;  // but in full layers, of three tokens or so (LFM2)
    bool delta = false;           // but in full layers, attention is a gated delta rule (Qwen3.5)
    bool packed_delta = false;    // whose projections are two products (Qwen3-Next)
    bool even_experts = false;    // each multiplies all tokens, weighed beforehand (Llama 4)
    bool experts_first = false;   // listed before their router
    bool biased_experts = false;  // and clamped gates (GPT-OSS)
    bool beside = false;  // beside the feed-forward, with a router that adapters wrap (Gemma 4)
    bool gated_shared = false;  // the expert that every token uses is weighted by a gate
    Rotary rotary = Rotary::halves;
    Router router = Router::softmax;

    int norms() const { return (before_norms ? 2 : 0) + (outer_norms ? 2 : 0); }
    // q lies in the order of heads, not of rows.
    bool by_heads() const { return rotary != Rotary::halves && rotary != Rotary::complex; }
};

}  // namespace plimsoll::training
