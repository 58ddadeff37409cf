#include "engine/training/models/parameter_lister.hpp"

// Encoders that normalize the input of a block: ModernBERT, and those of images and sound.

namespace plimsoll::training {
namespace {

using Use = ParameterLister::Use;

}  // namespace

void list_modernbert(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.set_part(Part::embeddings);
    list.matrix(s.vocab, h);
    list.vector(h);
    list.set_part(Part::layer);
    for (int l = 0; l < s.layers; ++l, list.next_layer()) {
        if (l > 0) list.vector(h);
        list.linear("Wqkv", h, 3 * h, false, Use::query_value);
        list.linear("Wo", h, h, false);
        list.vector(h);
        list.linear("Wi", h, 2LL * s.ffn, false);
        list.linear("Wo", s.ffn, h, false);
    }
    list.set_part(Part::head);
    list.vector(h);
    list.linear("dense", h, h, false);
    list.vector(h);
    if (s.head == Head::classifier) {
        list.linear("classifier", h, s.labels, true);
    } else {
        if (!s.tied_head) list.matrix(s.vocab, h);
        list.vector(s.vocab);
    }
}

void list_vit(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    list.set_part(Part::embeddings);
    list.vector(h);  // the first position, which stands for the whole image
    list.matrix(s.sample_length(), h);
    list.matrix(h, static_cast<std::int64_t>(s.image_channels) * s.patch_size * s.patch_size);
    list.vector(h);
    list.set_part(Part::layer);
    for (int l = 0; l < s.layers; ++l, list.next_layer()) {
        list.linear("q_proj", h, h, s.qkv_bias, Use::query_value);
        list.linear("k_proj", h, h, s.qkv_bias);
        list.linear("v_proj", h, h, s.qkv_bias, Use::query_value);
        list.linear("o_proj", h, h, true);
        list.norm(h);
        list.norm(h);
        list.linear("fc1", h, s.ffn, true);
        list.linear("fc2", s.ffn, h, true);
    }
    list.set_part(Part::head);
    list.norm(h);
    list.linear("classifier", h, s.labels, true);
}

void list_whisper(ParameterLister& list) {
    const auto& s = list.shape();
    const std::int64_t h = s.hidden;
    constexpr std::int64_t width = 3;  // of both convolutions
    list.set_part(Part::embeddings);
    list.matrix(h, width * s.features);
    list.vector(h);
    list.matrix(h, width * h);
    list.vector(h);
    list.fixed_matrix(s.positions, h);
    list.set_part(Part::layer);
    for (int l = 0; l < s.layers; ++l, list.next_layer()) {
        list.linear("k_proj", h, h, false);
        list.linear("v_proj", h, h, true, Use::query_value);
        list.linear("q_proj", h, h, true, Use::query_value);
        list.linear("out_proj", h, h, true);
        list.norm(h);
        list.linear("fc1", h, s.ffn, true);
        list.linear("fc2", s.ffn, h, true);
        list.norm(h);
    }
    list.set_part(Part::head);
    list.norm(h);
    list.linear("projector", h, s.projection, true);
    list.linear("classifier", s.projection, s.labels, true);
}

}  // namespace plimsoll::training
