#include "engine/training/models/parameter_lister.hpp"

namespace plimsoll::training {
namespace {

void list_attention(ParameterLister& list, std::int64_t h) {
    list.matrix(3 * h, h);
    list.vector(3 * h);
    list.linear("out_proj", h, h, true);
}

}  // namespace

void list_temporal(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.set_part(Part::embeddings);
    list.matrix(s.horizon, h);
    list.linear("input", s.features, h, true);
    list.linear("output", h, s.features, true);
    list.set_part(Part::layer);
    for (int l = 0; l < s.layers; ++l, list.next_layer()) {
        list_attention(list, h);
        list.linear("linear1", h, s.ffn, true);
        list.linear("linear2", s.ffn, h, true);
        list.norm(h);
        list.norm(h);
    }
    list.previous_layer();
    list.norm(h);
    list.next_layer();
    for (int l = 0; l < s.layers; ++l, list.next_layer()) {
        list_attention(list, h);
        list_attention(list, h);
        list.linear("linear1", h, s.ffn, true);
        list.linear("linear2", s.ffn, h, true);
        list.norm(h);
        list.norm(h);
        list.norm(h);
    }
    list.set_part(Part::head);
    list.norm(h);
}

void list_lstm(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.set_part(Part::layer);
    for (int l = 0; l < s.layers; ++l, list.next_layer()) {
        list.matrix(4 * h, l == 0 ? s.features : h);
        list.matrix(4 * h, h);
        list.vector(4 * h);
        list.vector(4 * h);
    }
    list.set_part(Part::head);
    list.linear("output", h, static_cast<std::int64_t>(s.features) * s.horizon, true);
}

}  // namespace plimsoll::training
