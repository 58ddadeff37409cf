#include "engine/training/models/parameter_lister.hpp"

namespace plimsoll::training {
namespace {

using Use = ParameterLister::Use;

struct Names {
    const char *query, *key, *value, *out, *up, *down;
};

Names names_of(Family family) {
    if (family == Family::distilbert) return {"q_lin", "k_lin", "v_lin", "out_lin", "lin1", "lin2"};
    if (family == Family::deberta_v2)
        return {"query_proj", "key_proj", "value_proj", "dense", "dense", "dense"};
    return {"query", "key", "value", "dense", "dense", "dense"};
}

void list_embeddings(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.set_part(Part::embeddings);
    const bool positions_last = s.family == Family::roberta && !s.own_traits;
    list.matrix(s.vocab, h);
    if (!positions_last) list.matrix(s.positions, h);
    if (s.family != Family::distilbert) list.matrix(s.token_types, h);
    list.norm(h);
    if (positions_last) list.matrix(s.positions, h);
}

void list_layers(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    const Names names = names_of(s.family);
    list.set_part(Part::layer);
    for (int l = 0; l < s.layers; ++l, list.next_layer()) {
        list.linear(names.query, h, h, true, Use::query_value);
        list.linear(names.key, h, h, true);
        list.linear(names.value, h, h, true, Use::query_value);
        list.linear(names.out, h, h, true);
        list.norm(h);
        list.linear(names.up, h, s.ffn, true);
        list.linear(names.down, s.ffn, h, true);
        list.norm(h);
    }
}

}  // namespace

void list_encoder(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list_embeddings(list);
    list_layers(list);
    list.set_part(Part::head);
    if (s.head == Head::language_model) {
        list.vector(s.vocab);  // the bias of the tied decoder comes first in the module
        list.linear("dense", h, h, true);
        list.norm(h);
        if (!s.tied_head) list.matrix(s.vocab, h);
    } else {  // pooler (BERT), pre_classifier (DistilBERT), dense (RoBERTa)
        list.linear("dense", h, h, true);
        list.linear("classifier", h, s.labels, true);
    }
}

void list_deberta(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.set_part(Part::embeddings);
    list.matrix(s.vocab, h);
    list.norm(h);
    list_layers(list);
    list.set_part(Part::head);
    list.matrix(2LL * s.position_buckets, h);
    list.norm(h);
    list.linear("dense", h, h, true);
    list.linear("classifier", h, s.labels, true);
}

void list_naics(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    for (int c = 0; c < s.channels; ++c) {
        list_embeddings(list);
        list_layers(list);
        list.set_part(Part::layer);  // the pooler is a linear layer too, so adapters wrap it
        list.previous_layer();
        list.linear("dense", h, h, true);
        list.next_layer();
    }
    list.set_part(Part::head);
    list.always_train();
    const std::int64_t d = h * s.channels;
    list.linear("gate", d, s.experts, true);
    for (int e = 0; e < s.experts; ++e) {
        list.linear("up", d, s.expert_hidden, true);
        list.linear("down", s.expert_hidden, d, true);
    }
    list.linear("projection", d, h, true);
}

}  // namespace plimsoll::training
