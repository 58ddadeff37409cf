#pragma once

#include "engine/training/models/model_shape.hpp"

namespace plimsoll::training {

// How a decoder with RMSNorm differs from Llama.
struct DecoderTraits {
    bool head_norms = false;   // of every head's q and k
    bool unit_norms = false;   // multiply by 1 + weight, in fp32; embeddings are scaled
    bool outer_norms = false;  // also for the outputs of attention and feed-forward
    bool packed = false;       // q, k and v in one product, and gate and up in one
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
            return {.head_norms = true, .unit_norms = true, .outer_norms = true};
        case Family::phi3:
            return {.packed = true};
        default:
            return {};
    }
}

}  // namespace plimsoll::training
