#include "engine/training/models/parameters.hpp"

#include "engine/training/models/parameter_lister.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

void list_all(ParameterLister& list) {
    switch (list.shape().family) {
        case Family::bert:
        case Family::distilbert:
        case Family::roberta: return list_encoder(list);
        case Family::deberta_v2: return list_deberta(list);
        case Family::modernbert: return list_modernbert(list);
        case Family::vit: return list_vit(list);
        case Family::whisper: return list_whisper(list);
        case Family::t5: return list.shape().own_traits ? list_bart(list) : list_t5(list);
        case Family::naics: return list_naics(list);
        case Family::temporal: return list_temporal(list);
        case Family::lstm: return list_lstm(list);
        default: return list_decoder(list);
    }
}

ParameterLister::Names names_of_one_layer(ModelShape shape, const Lora& lora) {
    // Of a hybrid, layers of both kinds.
    shape.layers = std::min(shape.layers, shape.linear.kernel > 0 ? shape.full_at + 1 : 1);
    shape.decoder_layers = std::min(shape.decoder_layers, 1);
    ParameterLister list(shape, lora);
    list_all(list);
    return list.take_names();
}

}  // namespace

std::vector<Parameter> list_parameters(const ModelShape& shape, const Lora& lora) {
    ParameterLister list(shape, lora);
    list_all(list);
    return list.take();
}

std::vector<std::string> linear_layers(const ModelShape& shape) {
    return names_of_one_layer(shape, {}).linear;
}

std::vector<std::string> query_value_layers(const ModelShape& shape) {
    return names_of_one_layer(shape, {.rank = 1}).wrapped;
}

std::vector<std::string> whole_modules(const ModelShape& shape) {
    return names_of_one_layer(shape, {}).tables;
}

std::vector<std::int64_t> list_buffers(const ModelShape& s) {
    const std::int64_t frequencies = 4LL * (s.rotary_width() / 2);
    if (s.traits().power_norms) {  // scales of embeddings and layers, and rotary positions
        std::vector<std::int64_t> out(static_cast<std::size_t>(s.layers + 2), 4);
        out.insert(out.end(), 2, frequencies);
        out.insert(out.end(), 2, 2LL * s.full_head_dim);
        return out;
    }
    switch (s.family) {
        case Family::bert:
        case Family::roberta: return {8LL * s.positions, 8LL * s.positions};  // positions, types
        case Family::naics: {
            std::vector<std::int64_t> out;
            for (int c = 0; c < 2 * s.channels; ++c) out.push_back(8LL * s.positions);
            return out;
        }
        case Family::distilbert:
        case Family::deberta_v2: return {8LL * s.positions};
        case Family::gemma:
        case Family::gemma2: return {4, frequencies, frequencies};  // the embeddings' scale
        case Family::gemma3:  // frequencies of both kinds of layers
            return {4, frequencies, frequencies, frequencies, frequencies};
        case Family::opt: return {};
        case Family::t5:  // a bias of BART's logits
            return s.own_traits ? std::vector<std::int64_t>{4 * s.vocab}
                                : std::vector<std::int64_t>();
        case Family::olmo3:
        case Family::modernbert:  // of both kinds of layers
            return {frequencies, frequencies, frequencies, frequencies};
        default: {
            if (!s.has_rms_norm() && s.family != Family::gpt_neox) return {};
            std::vector<std::int64_t> out;
            const auto router = s.traits().router;
            if (router == Router::sigmoid ||
                router == Router::corrected)  // corrections of every mixture's scores
                out.assign(static_cast<std::size_t>(std::max(0, s.layers - s.dense_layers)),
                           4LL * s.experts);
            out.insert(out.end(), 2, frequencies);  // of rotary positions, and their originals
            return out;
        }
    }
}

std::int64_t count(const std::vector<Parameter>& parameters, bool trainable_only) {
    std::int64_t n = 0;
    for (const auto& p : parameters)
        if (p.trainable || !trainable_only) n += p.elements;
    return n;
}

double approximate_parameters(const ModelShape& s) {
    const double h = s.hidden;
    const double attention =
        s.family == Family::lstm ? 8 * h * h : 2.0 * h * s.q_width() + 2.0 * h * s.kv_width();
    const double matrices = s.has_rms_norm() || s.gated ? 3 : 2;
    const double stacks = s.family == Family::temporal ? 2 : s.channels;
    const double experts =
        s.has_experts() ? 3.0 * s.experts * s.expert_hidden * h + 3.0 * s.shared_expert_hidden * h
                        : matrices * h * s.ffn;
    const double layer = attention + experts;
    const double decoder = s.decoder_layers * (2 * attention + matrices * h * s.ffn);
    const double table = static_cast<double>(s.vocab) + s.positions;
    const double moe =
        s.family == Family::naics ? 2.0 * s.experts * h * s.channels * s.expert_hidden : 0;
    return stacks * (s.layers * layer + table * h) + decoder +
           (s.tied_head ? 0 : 1.0 * s.vocab * h) + moe;
}

}  // namespace plimsoll::training
