#include "engine/training/tape/families/decoder_block.hpp"

namespace plimsoll::training {

int next_norm(ParameterCursor& p, const DecoderTraits& traits) {
    const int weight = p.next();
    if (traits.layer_norms) p.skip(1);  // its bias follows
    return weight;
}

namespace {

void read_latent_attention(Graph& g, const ModelShape& s, ParameterCursor& p, DecoderBlock& b) {
    const int turned = s.rotary_width();
    if (s.query_rank > 0) {
        b.query_latent = read_linear(p, g, s.hidden, s.query_rank, s.qkv_bias);
        b.query_norm = p.next();
    }
    b.query = read_linear(p, g, s.query_rank > 0 ? s.query_rank : s.hidden, s.q_width(), false);
    b.latents = read_linear(p, g, s.hidden, s.kv_rank + turned, s.qkv_bias);
    b.key_norm = p.next();
    b.key =
        read_linear(p, g, s.kv_rank, s.q_width() - s.heads * turned + s.attended_width(), false);
    b.attention_out = read_linear(p, g, s.attended_width(), s.hidden, s.output_bias);
}

void read_shared_attention(Graph& g, const ModelShape& s, ParameterCursor& p, DecoderBlock& b) {
    b.query = read_linear(p, g, s.hidden, s.q_width(), s.qkv_bias);
    b.query_norm = p.next();
    if (!b.shares_keys) {
        b.key_norm = p.next();
        b.key = read_linear(p, g, s.hidden, s.kv_width(), s.qkv_bias);
        if (!s.keys_as_values) b.value = read_linear(p, g, s.hidden, s.kv_width(), s.qkv_bias);
    }
    b.attention_out = read_linear(p, g, s.q_width(), s.hidden, s.output_bias);
}

void read_attention(Graph& g, const ModelShape& s, const DecoderTraits& traits, ParameterCursor& p,
                    DecoderBlock& b) {
    if (traits.power_norms) return read_shared_attention(g, s, p, b);
    if (traits.latent) return read_latent_attention(g, s, p, b);
    if (traits.sinks) b.sinks = p.next();
    if (traits.packed) {
        b.attention_out = read_linear(p, g, s.q_width(), s.hidden, false);
        b.qkv = read_linear(p, g, s.hidden, s.q_width() + 2LL * s.kv_width(), false);
        return;
    }
    if (traits.learned) {
        b.key = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
        b.value = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
        b.query = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
        b.attention_out = read_linear(p, g, s.hidden, s.hidden, s.output_bias);
        b.before_attention = next_norm(p, traits);
        return;
    }
    b.query =
        read_linear(p, g, s.hidden, (traits.gated_attention ? 2 : 1) * s.q_width(), s.qkv_bias);
    b.key = read_linear(p, g, s.hidden, s.kv_width(), s.qkv_bias);
    b.value = read_linear(p, g, s.hidden, s.kv_width(), s.qkv_bias);
    b.attention_out = read_linear(p, g, s.q_width(), s.hidden, s.output_bias);
    if (traits.head_norms || traits.row_norms) {
        b.query_norm = p.next();
        b.key_norm = p.next();
    }
}

}  // namespace

DecoderBlock read_decoder_block(Graph& g, const ModelShape& s, ParameterCursor& p, int layer) {
    const auto traits = s.traits();
    DecoderBlock b;
    b.shares_keys = s.shares_keys(layer);
    b.lends_keys = s.lends_keys(layer);
    if (s.has_linear(layer) && traits.short_convolution) {
        b.convolution = p.next();
        b.qkv = read_linear(p, g, s.hidden, 3LL * s.hidden, false);
        b.attention_out = read_linear(p, g, s.hidden, s.hidden, false);
    } else if (s.has_linear(layer)) {
        b.delta = read_delta_rule(p, g, s);
    } else {
        read_attention(g, s, traits, p, b);
    }
    if (s.has_experts(layer) && !traits.beside) {
        b.experts = read_experts(p, g, s);
    } else if (traits.packed_ffn) {
        b.gate_up = read_linear(p, g, s.hidden, 2LL * s.ffn, false);
        b.feed_forward.down = read_linear(p, g, s.ffn, s.hidden, false);
    } else if (traits.plain) {
        b.feed_forward.up = read_linear(p, g, s.hidden, s.ffn, s.ffn_bias);
        b.feed_forward.down = read_linear(p, g, s.ffn, s.hidden, s.ffn_bias);
    } else {
        b.feed_forward = read_gated(p, g, s, s.ffn);
    }
    if (traits.before_norms && !traits.learned) b.before_attention = next_norm(p, traits);
    if (traits.outer_norms) b.after_attention = p.next();
    if (traits.before_norms) b.before_feed_forward = next_norm(p, traits);
    if (traits.outer_norms) b.after_feed_forward = p.next();
    if (traits.beside) b.experts = read_experts_beside(p, g, s);
    if (s.layer_inputs > 0) {
        b.input_gate = read_linear(p, g, s.hidden, s.layer_inputs, false);
        b.input_projection = read_linear(p, g, s.layer_inputs, s.hidden, false);
        b.after_input = p.next();
    }
    return b;
}

}  // namespace plimsoll::training
