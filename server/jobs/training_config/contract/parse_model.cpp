#include "engine/training/models/hugging_face.hpp"
#include "engine/training/models/presets.hpp"
#include "server/jobs/training_config/contract/limits.hpp"
#include "server/jobs/training_config/contract/request.hpp"
#include "server/jobs/training_config/contract/words.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;
using tr::Family;
using tr::ModelShape;

// What a description may leave out, as the family's published models have it.
ModelShape usual(Family family, int hidden) {
    ModelShape s;
    s.family = family;
    s.name = std::string(text_of(kFamilies, family));
    s.ffn = 4 * hidden;
    const bool series = family == Family::temporal || family == Family::lstm;
    if (series) {
        s.features = 20;
        s.horizon = 14;
        s.activation = tr::Activation::relu;
        return s;
    }
    s.vocab = family == Family::roberta || family == Family::gpt2 ? 50257 : 30522;
    s.positions = 512;
    s.token_types = family == Family::bert || family == Family::naics ? 2 : 0;
    if (family == Family::gpt2) {
        s.positions = 1024;
        s.activation = tr::Activation::gelu_new;
        s.head = tr::Head::language_model;
    }
    if (family == Family::llama) {
        s.vocab = 32000;
        s.positions = 0;
        s.activation = tr::Activation::silu;
        s.head = tr::Head::language_model;
        s.hidden_dropout = s.attention_dropout = 0;
        s.tied_head = false;
        s.qkv_bias = false;
    }
    if (family == Family::naics) {
        s.channels = 4;
        s.experts = 4;
        s.experts_per_row = 2;
        s.expert_hidden = 1024;
    }
    return s;
}

template <class Value>
void take(const json& from, const char* key, Value& value) {
    if (const auto found = from.find(key); found != from.end()) found->get_to(value);
}

ModelShape from_dimensions(const json& d) {
    const auto family = value_of(kFamilies, d.at("family").get<std::string>());
    auto s = usual(family.value_or(Family::bert), d.at("hidden").get<int>());
    take(d, "layers", s.layers);
    take(d, "hidden", s.hidden);
    take(d, "heads", s.heads);
    take(d, "kv_heads", s.kv_heads);
    take(d, "head_dim", s.head_dim);
    take(d, "ffn", s.ffn);
    take(d, "vocab", s.vocab);
    take(d, "positions", s.positions);
    take(d, "token_types", s.token_types);
    take(d, "tied_head", s.tied_head);
    take(d, "channels", s.channels);
    take(d, "experts", s.experts);
    take(d, "experts_per_row", s.experts_per_row);
    take(d, "expert_hidden", s.expert_hidden);
    take(d, "features", s.features);
    take(d, "horizon", s.horizon);
    if (const auto word = d.find("activation"); word != d.end()) {
        s.activation = value_of(kActivations, word->get<std::string>()).value_or(s.activation);
    }
    return s;
}

// What may be said beside each way of describing a model.
void apply_overrides(const json& model, ModelShape& s) {
    take(model, "labels", s.labels);
    take(model, "hidden_dropout", s.hidden_dropout);
    take(model, "attention_dropout", s.attention_dropout);
    take(model, "name", s.name);
    if (const auto head = model.find("head"); head != model.end()) {
        s.head = value_of(kHeads, head->get<std::string>()).value_or(s.head);
    }
}

}  // namespace

std::string_view family_name(const ModelShape& shape) {
    return text_of(kFamilies, shape.family);
}

ModelShape parse_model(const json& model, FieldErrors& errors) {
    const bool preset = model.contains("preset");
    const bool config = model.contains("config");
    if (preset + config + model.contains("dimensions") != 1) {
        errors.push_back(
            {"/model", "one_of",
             "Exactly one of \"preset\", \"config\" and \"dimensions\" must be given."});
        return {};
    }
    const std::string place = preset   ? "/model/preset"
                              : config ? "/model/config"
                                       : "/model/dimensions";
    Result<ModelShape> shape;
    if (preset) {
        shape = tr::preset(model["preset"].get<std::string>());
        if (!shape) shape.error().where.clear();
    } else if (config) {
        shape = tr::from_hugging_face(model["config"].dump());
    } else {
        shape = from_dimensions(model["dimensions"]);
    }
    if (shape) {
        apply_overrides(model, *shape);
        shape = tr::validated(*shape);
        // An override is named where it was given.
        if (!shape && model.contains(shape.error().where.substr(1))) {
            errors.push_back({"/model" + shape.error().where, "invalid", shape.error().message});
            return {};
        }
    }
    if (!shape) {
        errors.push_back({place + shape.error().where, "invalid", shape.error().message});
        return {};
    }
    if (shape->layers * shape->channels > kMostLayers) {
        errors.push_back({place, "max_layers",
                          "At most " + std::to_string(kMostLayers) +
                              " layers of all channels together can be estimated."});
    }
    return *shape;
}

}  // namespace plimsoll::jobs::training_config
