#include "engine/training/models/parameter_lister.hpp"

namespace plimsoll::training {
namespace {

using Use = ParameterLister::Use;

void list_gpt2_layer(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.norm(h);
    const bool bloom = s.traits().alibi;
    list.linear(bloom ? "query_key_value" : "c_attn", h, 3 * h, true, Use::query_value);
    list.linear(bloom ? "dense" : "c_proj", h, h, true);
    list.norm(h);
    list.linear(bloom ? "dense_h_to_4h" : "c_fc", h, s.ffn, true);
    list.linear(bloom ? "dense_4h_to_h" : "c_proj", s.ffn, h, true);
}

void list_gpt_neox_layer(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.norm(h);
    list.norm(h);
    list.linear("query_key_value", h, 3 * h, s.qkv_bias, Use::query_value);
    list.linear("dense", h, h, s.qkv_bias);
    list.linear("dense_h_to_4h", h, s.ffn, true);
    list.linear("dense_4h_to_h", s.ffn, h, true);
}

// As DeepSeek names them. A head's k and v are made from one latent, which is normed.
void list_latent_attention(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    if (s.query_rank > 0) {
        list.linear("q_a_proj", h, s.query_rank, s.qkv_bias);
        list.vector(s.query_rank);
        list.linear("q_b_proj", s.query_rank, s.q_width(), false, Use::query_value);
    } else {
        list.linear("q_proj", h, s.q_width(), false, Use::query_value);
    }
    list.linear("kv_a_proj_with_mqa", h, s.kv_rank + s.rotary_width(), s.qkv_bias);
    list.vector(s.kv_rank);
    const std::int64_t unturned = s.q_width() - 1LL * s.heads * s.rotary_width();
    list.linear("kv_b_proj", s.kv_rank, unturned + s.attended_width(), false, Use::query_value);
    list.linear("o_proj", s.attended_width(), h, s.output_bias);
}

// Gemma 4's. Layers that read others' keys and values have none.
void list_shared_attention(ParameterLister& list, const ModelShape& s, bool shares) {
    const std::int64_t h = s.hidden;
    list.linear("q_proj", h, s.q_width(), s.qkv_bias, Use::query_value);
    list.vector(s.head_dim);
    if (!shares) {
        list.vector(s.head_dim);
        list.linear("k_proj", h, s.kv_width(), s.qkv_bias);
        if (!s.keys_as_values) list.linear("v_proj", h, s.kv_width(), s.qkv_bias, Use::query_value);
    }
    list.linear("o_proj", s.q_width(), h, s.output_bias);
}

// Of a gated delta rule: biases of the steps and their rates, a convolution of every channel, a
// norm of each head's result, and products.
void list_delta(ParameterLister& list, bool packed) {
    const auto& s = list.shape();
    const auto& l = s.linear;
    const std::int64_t h = s.hidden;
    list.vector(l.values);
    list.vector(l.values);
    list.matrix(l.channels(), l.kernel);
    if (packed) {
        list.linear("in_proj_qkvz", h, l.channels() + l.value_width(), false, Use::query_value);
        list.linear("in_proj_ba", h, 2LL * l.values, false);
    }
    list.vector(l.value_dim);
    list.linear("out_proj", l.value_width(), h, false);
    if (packed) return;
    list.linear("in_proj_qkv", h, l.channels(), false, Use::query_value);
    list.linear("in_proj_z", h, l.value_width(), false);
    list.linear("in_proj_b", h, l.values, false);
    list.linear("in_proj_a", h, l.values, false);
}

void list_short_convolution(ParameterLister& list) {
    const std::int64_t h = list.shape().hidden;
    list.matrix(h, list.shape().linear.kernel);
    list.linear("in_proj", h, 3 * h, false);
    list.linear("out_proj", h, h, false);
}

void list_attention(ParameterLister& list, const DecoderTraits& traits) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    if (traits.latent) return list_latent_attention(list);
    if (traits.sinks) list.vector(s.heads);
    if (traits.packed) {
        list.linear("o_proj", s.q_width(), h, false);
        list.linear("qkv_proj", h, s.q_width() + 2LL * s.kv_width(), false, Use::query_value);
        return;
    }
    if (traits.learned) {
        list.linear("k_proj", h, h, s.qkv_bias);
        list.linear("v_proj", h, h, s.qkv_bias, Use::query_value);
        list.linear("q_proj", h, h, s.qkv_bias, Use::query_value);
        list.linear("out_proj", h, h, s.output_bias);
        list.norm(h);
        return;
    }
    list.linear("q_proj", h, (traits.gated_attention ? 2LL : 1) * s.q_width(), s.qkv_bias,
                Use::query_value);
    list.linear("k_proj", h, s.kv_width(), s.qkv_bias);
    list.linear("v_proj", h, s.kv_width(), s.qkv_bias, Use::query_value);
    list.linear(traits.short_convolution ? "out_proj" : "o_proj", s.q_width(), h, s.output_bias);
    if (traits.head_norms || traits.row_norms) {
        list.vector(traits.row_norms ? s.q_width() : s.head_dim);
        list.vector(traits.row_norms ? s.kv_width() : s.head_dim);
    }
}

void list_gated(ParameterLister& list, std::int64_t width) {
    const auto& s = list.shape();
    const bool numbered = s.traits().short_convolution;
    list.linear(numbered ? "w1" : "gate_proj", s.hidden, width, s.ffn_bias);
    list.linear(numbered ? "w3" : "up_proj", s.hidden, width, s.ffn_bias);
    list.linear(numbered ? "w2" : "down_proj", width, s.hidden, s.ffn_bias);
}

// The experts' weights are two tensors of three dimensions, the router's is no linear layer:
// adapters wrap neither.
void list_experts(ParameterLister& list, const DecoderTraits& traits) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    const auto router = [&] {
        list.matrix(s.experts, h);
        if (traits.biased_experts) list.vector(s.experts);
    };
    if (s.expert_cards > 1) {
        // torchtitan has gate and up apart.
        const std::int64_t own = s.experts / s.expert_cards;
        router();
        for (int i = 0; i < 2; ++i) list.divided_matrix(own * s.expert_hidden, h);
        list.divided_matrix(own * h, s.expert_hidden);
        if (s.shared_expert_hidden > 0) list_gated(list, s.shared_expert_hidden);
        return;
    }
    if (!traits.experts_first) router();
    list.stacked_matrix(2LL * s.expert_hidden, h);
    if (traits.biased_experts) list.matrix(s.experts, 2LL * s.expert_hidden);
    list.stacked_matrix(h, s.expert_hidden);
    if (traits.biased_experts) list.matrix(s.experts, h);
    if (traits.experts_first) router();
    if (s.shared_expert_hidden > 0) list_gated(list, s.shared_expert_hidden);
    if (traits.gated_shared) list.linear("shared_expert_gate", h, 1, false);
}

// Beside a feed-forward of its own: scales of what the router reads and of each expert, and norms.
void list_experts_beside(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.vector(h);
    list.vector(s.experts);
    list.linear("proj", h, s.experts, false);
    list.stacked_matrix(2LL * s.expert_hidden, h);
    list.stacked_matrix(h, s.expert_hidden);
    for (int norm = 0; norm < 3; ++norm) list.vector(h);
}

void list_norm(ParameterLister& list, const DecoderTraits& traits) {
    list.vector(list.shape().hidden);
    if (traits.layer_norms) list.vector(list.shape().hidden);
}

void list_rms_norm_layer(ParameterLister& list, int layer) {
    const auto& s = list.shape();
    const auto traits = s.traits();
    const auto own = s.of_layer(layer);
    if (s.has_linear(layer) && traits.short_convolution)
        list_short_convolution(list);
    else if (s.has_linear(layer))
        list_delta(list, traits.packed_delta);
    else if (traits.power_norms)
        list_shared_attention(list, own, s.shares_keys(layer));
    else
        list_attention(list, traits);
    if (s.has_experts(layer) && !traits.beside) {
        list_experts(list, traits);
    } else if (traits.packed_ffn) {
        list.linear("gate_up_proj", s.hidden, 2LL * s.ffn, false);
        list.linear("down_proj", s.ffn, s.hidden, false);
    } else if (traits.plain) {
        list.linear(traits.learned ? "fc1" : "c_fc", s.hidden, s.ffn, s.ffn_bias);
        list.linear(traits.learned ? "fc2" : "c_proj", s.ffn, s.hidden, s.ffn_bias);
    } else {
        list_gated(list, own.ffn);
    }
    for (int norm = traits.learned ? 1 : 0; norm < traits.norms(); ++norm) list_norm(list, traits);
    if (traits.beside) list_experts_beside(list);
    if (s.layer_inputs == 0) return;
    list.linear("per_layer_input_gate", s.hidden, s.layer_inputs, false);
    list.linear("per_layer_projection", s.layer_inputs, s.hidden, false);
    list.vector(s.hidden);
}

// The table of what each layer gets, and what is added to that. Its linear layer takes adapters as
// those of layers do, and counts as one of the first.
void list_layer_inputs(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t width = 1LL * s.layers * s.layer_inputs;
    list.matrix(s.layer_vocab, width);
    list.set_part(Part::layer);
    list.linear("per_layer_model_projection", s.hidden, width, false);
    list.set_part(Part::embeddings);
    list.vector(s.layer_inputs);
}

}  // namespace

void list_decoder(ParameterLister& list) {
    const auto& s = list.shape();
    list.set_part(Part::embeddings);
    const auto traits = s.traits();
    const char* words = traits.alibi                   ? "word_embeddings"
                        : s.family == Family::gpt2     ? "wte"
                        : s.family == Family::gpt_neox ? "embed_in"
                                                       : "embed_tokens";
    if (s.begins) list.table(words, s.vocab, s.hidden);
    if (s.layer_inputs > 0) list_layer_inputs(list);
    if (traits.alibi)
        list.norm(s.hidden);
    else if (s.family == Family::gpt2)
        list.matrix(s.positions, s.hidden);
    if (traits.learned) {
        list.matrix(s.positions + kUnusedPositions, s.hidden);
        list.set_part(Part::head);
        list.norm(s.hidden);
    }
    list.set_part(Part::layer);
    for (int l = 0; l < s.layers; ++l, list.next_layer())
        if (s.family == Family::gpt2)
            list_gpt2_layer(list);
        else if (s.family == Family::gpt_neox)
            list_gpt_neox_layer(list);
        else
            list_rms_norm_layer(list, l);
    if (!s.ends) return;
    list.set_part(Part::head);
    if (!traits.learned) list.vector(s.hidden);
    if (!s.has_rms_norm() || (traits.layer_norms && !traits.learned)) list.vector(s.hidden);
    if (s.head == Head::classifier)
        list.table("score", s.labels, s.hidden);
    else
        list.table("lm_head", s.vocab, s.hidden, s.tied_head);
    if (s.towers > 0) list.fixed_matrix(1, s.towers);
}

}  // namespace plimsoll::training
