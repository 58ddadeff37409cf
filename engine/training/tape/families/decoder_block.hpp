#pragma once

#include "engine/training/tape/families/delta_rule.hpp"
#include "engine/training/tape/families/experts.hpp"

namespace plimsoll::training {

// The parameters of a decoder's layer; -1 and empty where it has none.
struct DecoderBlock {
    Linear query, key, value, attention_out;
    Linear qkv;  // packed
    Linear query_latent, latents;
    int query_norm = -1, key_norm = -1, sinks = -1;
    int convolution = -1;  // in place of attention, between `qkv` and `attention_out`
    DeltaRule delta;       // likewise
    GatedLinear feed_forward;
    Linear gate_up;  // packed
    Experts experts;
    int before_attention = -1, after_attention = -1;
    int before_feed_forward = -1, after_feed_forward = -1;
    bool shares_keys = false, lends_keys = false;
    Linear input_gate, input_projection;  // of what the layer gets from a table of its own
    int after_input = -1;
};
// `shape` is the layer's own.
DecoderBlock read_decoder_block(Graph& g, const ModelShape& shape, ParameterCursor& parameters,
                                int layer);

// A norm's weight, whose bias may follow.
int next_norm(ParameterCursor& parameters, const DecoderTraits& traits);

}  // namespace plimsoll::training
