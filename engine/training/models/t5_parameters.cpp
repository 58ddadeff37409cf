#include "engine/training/models/parameter_lister.hpp"

namespace plimsoll::training {
namespace {

using Use = ParameterLister::Use;

void list_t5_attention(ParameterLister& list, bool with_positions) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden, inner = s.q_width();
    list.linear("q", h, inner, false, Use::query_value);
    list.linear("k", h, inner, false);
    list.linear("v", h, inner, false, Use::query_value);
    list.linear("o", inner, h, false);
    if (with_positions) list.matrix(s.position_buckets, s.heads);
    list.vector(h);
}

// Encoder and decoder; the first layer of either has the table that all of its layers read.
void list_t5_stack(ParameterLister& list, int layers, bool decodes) {
    const auto& s = list.shape();
    list.set_part(Part::layer);
    for (int l = 0; l < layers; ++l, list.next_layer()) {
        list_t5_attention(list, l == 0);
        if (decodes) list_t5_attention(list, false);
        list.linear(s.gated ? "wi_0" : "wi", s.hidden, s.ffn, false);
        if (s.gated) list.linear("wi_1", s.hidden, s.ffn, false);
        list.linear("wo", s.ffn, s.hidden, false);
        list.vector(s.hidden);
    }
    list.set_part(Part::head);
    list.vector(s.hidden);
}

void list_bart_attention(ParameterLister& list) {
    const std::int64_t h = list.shape().hidden;
    list.linear("k_proj", h, h, true);
    list.linear("v_proj", h, h, true, Use::query_value);
    list.linear("q_proj", h, h, true, Use::query_value);
    list.linear("out_proj", h, h, true);
    list.norm(h);
}

void list_bart_stack(ParameterLister& list, int layers, bool decodes) {
    const auto& s = list.shape();
    list.set_part(Part::embeddings);
    list.matrix(s.positions + kUnusedPositions, s.hidden);
    list.set_part(Part::layer);
    for (int l = 0; l < layers; ++l, list.next_layer()) {
        list_bart_attention(list);
        if (decodes) list_bart_attention(list);
        list.linear("fc1", s.hidden, s.ffn, true);
        list.linear("fc2", s.ffn, s.hidden, true);
        list.norm(s.hidden);
    }
    list.set_part(Part::embeddings);
    list.norm(s.hidden);
}

}  // namespace

void list_bart(ParameterLister& list) {
    const auto& s = list.shape();
    list.set_part(Part::embeddings);
    list.matrix(s.vocab, s.hidden);
    list_bart_stack(list, s.layers, false);
    list_bart_stack(list, s.decoder_layers, true);
    list.set_part(Part::head);
    if (!s.tied_head) list.matrix(s.vocab, s.hidden);
}

void list_t5(ParameterLister& list) {
    const auto& s = list.shape();
    list.set_part(Part::embeddings);
    list.matrix(s.vocab, s.hidden);
    list_t5_stack(list, s.layers, false);
    list_t5_stack(list, s.decoder_layers, true);
    if (!s.tied_head) list.matrix(s.vocab, s.hidden);
}

}  // namespace plimsoll::training
