#include "engine/base/json.hpp"
#include "engine/training/models/hugging_face.hpp"
#include "engine/training/models/presets.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/request.hpp"
#include "server/kinds/training_config/contract/words.hpp"

namespace plimsoll::jobs::training_config {
namespace {

using tr::Family;
using tr::ModelShape;

// Decoders with RMSNorm have no positions of their own, no dropout and no biases.
void make_llama_like(ModelShape& s) {
    s.head = tr::Head::language_model;
    s.stored_half = true;
    s.positions = 0;
    s.vocab = s.family == Family::llama ? 32000 : 151936;
    s.activation = tr::Activation::silu;
    s.hidden_dropout = s.attention_dropout = 0;
    s.tied_head = false;
    s.qkv_bias = s.family == Family::qwen2_moe;
    if (s.family == Family::qwen3 || s.family == Family::qwen3_moe) s.head_dim = 128;
    if (s.family == Family::phi3) s.vocab = 32064;
    if (s.family == Family::mixtral) s.vocab = 32000;
    if (s.family == Family::gemma || s.family == Family::gemma2 || s.family == Family::gemma3) {
        s.vocab = 256000;
        s.head_dim = 256;
        s.activation = tr::Activation::gelu_tanh;
        s.tied_head = true;
    }
    if (s.family == Family::starcoder2 || s.family == Family::opt) {
        s.tied_head = s.qkv_bias = s.output_bias = s.ffn_bias = true;
        s.vocab = s.family == Family::opt ? 50272 : 49152;
        s.activation = s.family == Family::opt ? tr::Activation::relu : tr::Activation::gelu_tanh;
        if (s.family == Family::opt) s.positions = 2048;
    }
    if (s.family == Family::gemma2) s.capped_scores = s.capped_logits = true;
    if (s.family == Family::gemma2 || s.family == Family::gemma3) {
        s.window = s.family == Family::gemma2 ? 4096 : 512;
        s.full_every = s.family == Family::gemma2 ? 2 : 6;
        s.full_at = s.full_every - 1;
    }
}

// Defaults of a description, from the family's published models.
ModelShape default_shape(Family family, int hidden) {
    ModelShape s;
    s.family = family;
    s.name = std::string(text_of(kFamilies, family));
    s.ffn = 4 * hidden;
    if (s.is_series()) {
        s.features = 20;
        s.horizon = 14;
        s.activation = tr::Activation::relu;
        return s;
    }
    s.vocab = family == Family::roberta || family == Family::gpt2 ? 50257 : 30522;
    s.positions = 512;
    s.token_types = family == Family::bert || family == Family::naics ? 2 : 0;
    if (s.has_rms_norm()) make_llama_like(s);
    if (family == Family::gpt2) {
        s.positions = 1024;
        s.activation = tr::Activation::gelu_new;
        s.head = tr::Head::language_model;
    }
    if (family == Family::gpt_neox) {
        s.vocab = 50304;
        s.positions = 2048;
        s.head = tr::Head::language_model;
        s.hidden_dropout = s.attention_dropout = 0;
        s.tied_head = false;
        s.rotary_share = 0.25;
    }
    if (family == Family::deberta_v2) {
        s.vocab = 128100;
        s.position_buckets = 256;
    }
    if (family == Family::modernbert) {
        s.vocab = 50368;
        s.positions = 8192;
        s.hidden_dropout = s.attention_dropout = 0;
        s.window = 64;
        s.full_every = 3;
    }
    if (family == Family::t5) {
        s.vocab = 32128;
        s.positions = 0;
        s.head = tr::Head::language_model;
        s.activation = tr::Activation::relu;
        s.position_buckets = 32;
        s.scaled_output = true;
    }
    if (family == Family::vit || family == Family::whisper) {
        s.vocab = 0;
        s.hidden_dropout = s.attention_dropout = 0;
        s.positions = family == Family::whisper ? 1500 : 0;
        s.features = family == Family::whisper ? 80 : 0;
        s.projection = 256;
        s.image_size = 224;
        s.patch_size = 16;
    }
    if (family == Family::naics) {
        s.channels = 4;
        s.experts = 4;
        s.experts_per_row = 2;
        s.expert_hidden = 1024;
    }
    return s;
}

// Members that apply to some families only, and a test whether they apply to this one.
struct Particular {
    const char* name;
    bool (*known)(const ModelShape&);
};
constexpr Particular kParticulars[] = {
    {"kv_heads", [](const ModelShape& s) { return s.has_rms_norm() && s.family != Family::opt; }},
    {"channels", [](const ModelShape& s) { return s.family == Family::naics; }},
    {"experts", [](const ModelShape& s) { return s.has_experts() || s.family == Family::naics; }},
    {"experts_per_row",
     [](const ModelShape& s) { return s.has_experts() || s.family == Family::naics; }},
    {"expert_hidden",
     [](const ModelShape& s) { return s.has_experts() || s.family == Family::naics; }},
    {"shared_expert_hidden", [](const ModelShape& s) { return s.family == Family::qwen2_moe; }},
    {"image_size", [](const ModelShape& s) { return s.family == Family::vit; }},
    {"patch_size", [](const ModelShape& s) { return s.family == Family::vit; }},
    {"window",
     [](const ModelShape& s) {
         return (s.has_rms_norm() && s.family != Family::opt) || s.window > 0;
     }},
    {"features", [](const ModelShape& s) { return s.is_series() || s.family == Family::whisper; }},
    {"horizon", [](const ModelShape& s) { return s.is_series(); }},
    {"decoder_layers", [](const ModelShape& s) { return s.has_decoder(); }},
    {"vocab", [](const ModelShape& s) { return s.reads_text(); }},
    {"activation", [](const ModelShape& s) { return !s.is_series(); }},
    {"token_types",
     [](const ModelShape& s) {
         return s.family == Family::bert || s.family == Family::roberta ||
                s.family == Family::naics;
     }},
    {"heads", [](const ModelShape& s) { return s.family != Family::lstm; }},
    {"head_dim", [](const ModelShape& s) { return s.family != Family::lstm; }},
    {"ffn", [](const ModelShape& s) { return s.family != Family::lstm && !s.has_experts(); }},
};

// A member without effect would give the answer to another question.
Result<void> check_members(const json& dimensions, const ModelShape& s) {
    for (const auto& particular : kParticulars) {
        if (!dimensions.contains(particular.name) || particular.known(s)) continue;
        return fail(Errc::invalid_input,
                    "A model of family " + s.name + " has no \"" + particular.name + "\".",
                    std::string("/") + particular.name);
    }
    return {};
}

template <class Value>
void take(const json& from, const char* key, Value& value) {
    if (const auto found = from.find(key); found != from.end()) found->get_to(value);
}

Result<ModelShape> from_dimensions(const json& d) {
    const auto family = value_of(kFamilies, d.at("family").get<std::string>());
    auto s = default_shape(family.value_or(Family::bert), d.at("hidden").get<int>());
    TRY_DO(check_members(d, s));
    take(d, "layers", s.layers);
    if (s.has_decoder()) s.decoder_layers = s.layers;
    take(d, "decoder_layers", s.decoder_layers);
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
    take(d, "shared_expert_hidden", s.shared_expert_hidden);
    take(d, "image_size", s.image_size);
    take(d, "patch_size", s.patch_size);
    take(d, "window", s.window);
    take(d, "features", s.features);
    take(d, "horizon", s.horizon);
    if (const auto word = d.find("activation"); word != d.end())
        s.activation = value_of(kActivations, word->get<std::string>()).value_or(s.activation);
    // Newer T5 has activations other than ReLU, two products, and a head of its own.
    if (s.has_decoder() && s.activation != tr::Activation::relu) {
        s.gated = true;
        s.scaled_output = false;
        if (!d.contains("tied_head")) s.tied_head = false;
    }
    return s;
}

// The members allowed with each way of describing a model.
void apply_overrides(const json& model, ModelShape& s) {
    take(model, "labels", s.labels);
    take(model, "hidden_dropout", s.hidden_dropout);
    take(model, "attention_dropout", s.attention_dropout);
    take(model, "name", s.name);
    if (const auto head = model.find("head"); head != model.end())
        s.head = value_of(kHeads, head->get<std::string>()).value_or(s.head);
}

}  // namespace

std::string_view family_name(const ModelShape& shape) { return text_of(kFamilies, shape.family); }

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
    if (shape->all_layers() > kMaxLayers) {
        errors.push_back({place, "max_layers",
                          "At most " + std::to_string(kMaxLayers) +
                              " layers across all channels can be estimated."});
    }
    return *shape;
}

}  // namespace plimsoll::jobs::training_config
