#pragma once

#include "engine/training/models/model_shape.hpp"

namespace plimsoll::training {

// How a decoder with RMSNorm differs from Llama.
struct DecoderTraits {
    bool head_norms = false;    // of every head's q and k
    bool row_norms = false;     // of all of q and of k, before heads are parted
    bool unit_norms = false;    // multiply by 1 + weight, in fp32; embeddings are scaled
    bool wide_norms = false;    // multiply by the weight in fp32
    bool before_norms = true;   // for the inputs of attention and feed-forward
    bool outer_norms = false;   // for their outputs
    bool packed = false;        // q, k and v in one product, and gate and up in one
    bool multiplied = false;    // embeddings, both outputs and logits, by numbers
    bool layer_norms = false;   // LayerNorm, with biases
    bool plain = false;         // feed-forward of two products
    bool learned = false;       // positions from a table; q is multiplied by a number
    bool wide_rotary = false;   // tables and products in fp32
    bool two_rotaries = false;  // tables of their own for layers with a window

    int norms() const { return (before_norms ? 2 : 0) + (outer_norms ? 2 : 0); }
};

constexpr DecoderTraits decoder_traits(Family family) {
    switch (family) {
        case Family::qwen3:
        case Family::qwen3_moe:
            return {.head_norms = true};
        case Family::gemma:
            return {.unit_norms = true};
        case Family::gemma2:
            return {.unit_norms = true, .outer_norms = true};
        case Family::gemma3:
            return {
                .head_norms = true, .unit_norms = true, .outer_norms = true, .two_rotaries = true};
        case Family::phi3:
            return {.packed = true};
        case Family::granite:
            return {.multiplied = true};
        case Family::olmo2:
        case Family::olmo3:
            return {.row_norms = true,
                    .wide_norms = true,
                    .before_norms = false,
                    .outer_norms = true,
                    .wide_rotary = true,
                    .two_rotaries = family == Family::olmo3};
        case Family::exaone4:
            return {.head_norms = true, .before_norms = false, .outer_norms = true};
        case Family::starcoder2:
            return {.layer_norms = true, .plain = true};
        case Family::opt:
            return {.layer_norms = true, .plain = true, .learned = true};
        default:
            return {};
    }
}

}  // namespace plimsoll::training
