#include "engine/training/models/model_shape.hpp"

#include "engine/training/models/parameters.hpp"

#include <cmath>

namespace plimsoll::training {
namespace {

tl::unexpected<Error> wrong(const char* field, std::string rule) {
    return fail(Errc::invalid_input, std::move(rule), field);
}

bool probability(double p) { return std::isfinite(p) && p >= 0 && p < 1; }

// Bounds keep products of three dimensions inside 64 bits.
Result<void> check_range(const char* field, const char* what, std::int64_t value, std::int64_t low,
                         std::int64_t high) {
    if (value < low || value > high)
        return wrong(field, std::string(what) + " must be between " + std::to_string(low) +
                                " and " + std::to_string(high) + ", not " + std::to_string(value) +
                                ".");
    return {};
}

Result<void> check_attention(ModelShape& s) {
    TRY_DO(check_range("/heads", "The number of attention heads", s.heads, 1, 4096));
    if (s.kv_heads == 0) s.kv_heads = s.heads;
    if (s.head_dim == 0) {
        if (s.hidden % s.heads != 0)
            return wrong("/heads", std::to_string(s.heads) +
                                       " attention heads do not divide the "
                                       "hidden size " +
                                       std::to_string(s.hidden) + ".");
        s.head_dim = s.hidden / s.heads;
    }
    TRY_DO(check_range("/head_dim", "The head size", s.head_dim, 1, 4096));
    if (s.full_kv_heads > 0 && s.heads % s.full_kv_heads != 0)
        return wrong("/kv_heads", "Key/value heads of full attention do not divide the heads.");
    if (s.sharing_layers < 0 || s.sharing_layers >= s.layers)
        return wrong("/layers", "Some layers must have keys and values of their own.");
    if (s.kv_heads < 1 || s.heads % s.kv_heads != 0)
        return wrong("/kv_heads", std::to_string(s.kv_heads) + " key/value heads do not divide " +
                                      std::to_string(s.heads) + " attention heads.");
    return check_range("/ffn", "The feed-forward size", s.ffn, 1, 1 << 20);
}

Result<void> check_experts(const ModelShape& s) {
    if (!s.has_experts() && s.family != Family::naics) return {};
    TRY_DO(check_range("/experts", "The number of experts", s.experts, 1, 1024));
    if (auto ok = check_range("/experts_per_row", "The number of experts per row",
                              s.experts_per_row, 1, s.experts);
        !ok)
        return ok;
    if (s.traits().gated_shared)
        if (auto ok = check_range("/shared_expert_hidden", "The shared expert's size",
                                  s.shared_expert_hidden, 1, 1 << 20);
            !ok)
            return ok;
    return check_range("/expert_hidden", "The expert size", s.expert_hidden, 1, 1 << 20);
}

Result<void> check_image(const ModelShape& s) {
    TRY_DO(check_range("/image_size", "The image size", s.image_size, 1, 16384));
    TRY_DO(check_range("/patch_size", "The patch size", s.patch_size, 1, s.image_size));
    if (s.image_size % s.patch_size != 0)
        return wrong("/patch_size", "Patches of " + std::to_string(s.patch_size) +
                                        " pixels do not divide the image size " +
                                        std::to_string(s.image_size) + ".");
    return check_range("/image_channels", "The number of image channels", s.image_channels, 1, 64);
}

Result<void> check_t5(const ModelShape& s) {
    if (s.head != Head::language_model)
        return wrong("/head", "Only the language model of this family is modelled.");
    if (auto ok = check_range("/decoder_layers", "The number of decoder layers", s.decoder_layers,
                              1, 1000);
        !ok)
        return ok;
    if (s.own_traits)
        return check_range("/positions", "The number of positions", s.positions, 1, 10'000'000);
    return check_range("/position_buckets", "The number of relative positions", s.position_buckets,
                       1, 1 << 20);
}

// What a sample consists of.
Result<void> check_input(const ModelShape& s) {
    const auto labels = check_range("/labels", "The number of labels", s.labels, 1, 1'000'000);
    const auto positions =
        check_range("/positions", "The number of positions", s.positions, 1, 10'000'000);
    const auto features =
        check_range("/features", "The number of features", s.features, 1, 1 << 20);
    if (s.is_series()) {
        if (!features) return features;
        return check_range("/horizon", "The horizon", s.horizon, 1, 1 << 20);
    }
    if (!labels) return labels;
    if (s.family == Family::vit) return check_image(s);
    if (s.family == Family::whisper) {
        if (!features) return features;
        if (!positions) return positions;
        return check_range("/projection", "The projection size", s.projection, 1, 1 << 18);
    }
    TRY_DO(check_range("/vocab", "The vocabulary size", s.vocab, 1, 100'000'000));
    if (s.family == Family::t5) return check_t5(s);
    if (s.family == Family::deberta_v2) {
        if (s.head == Head::language_model)
            return wrong("/head", "Only the classifier of this family is modelled.");
        return check_range("/position_buckets", "The number of relative positions",
                           s.position_buckets, 1, 1 << 20);
    }
    const bool unlimited = (s.has_rms_norm() && s.family != Family::opt) || s.traits().alibi;
    return unlimited ? Result<void>{} : positions;
}

}  // namespace

// In the order of the enumeration.
constexpr std::string_view kFamilies[] = {
    "bert",   "distilbert", "roberta",   "deberta_v2", "modernbert", "vit",      "whisper",
    "t5",     "gpt2",       "gpt_neox",  "llama",      "qwen3",      "gemma",    "gemma2",
    "gemma3", "phi3",       "granite",   "olmo2",      "olmo3",      "exaone4",  "starcoder2",
    "opt",    "mixtral",    "qwen2_moe", "qwen3_moe",  "naics",      "temporal", "lstm"};

std::string_view to_string(Family family) { return kFamilies[static_cast<std::size_t>(family)]; }

DecoderTraits ModelShape::traits() const {
    if (own_traits) return *own_traits;
    switch (family) {
        case Family::mixtral: return {.router = Router::wide_softmax};
        case Family::qwen2_moe: return {.gated_shared = true};
        case Family::qwen3: return {.head_norms = true};
        case Family::qwen3_moe: return {.head_norms = true, .experts_first = true};
        case Family::gemma: return {.unit_norms = true, .scaled_words = true};
        case Family::gemma2: return {.unit_norms = true, .scaled_words = true, .outer_norms = true};
        case Family::gemma3:
            return {.head_norms = true,
                    .unit_norms = true,
                    .scaled_words = true,
                    .outer_norms = true,
                    .two_rotaries = true};
        case Family::phi3: return {.packed = true, .packed_ffn = true, .rotary = Rotary::part};
        case Family::granite: return {.multiplied = true};
        case Family::olmo2:
        case Family::olmo3:
            return {.row_norms = true,
                    .wide_norms = true,
                    .before_norms = false,
                    .outer_norms = true,
                    .wide_rotary = true,
                    .two_rotaries = family == Family::olmo3};
        case Family::exaone4:
            return {.head_norms = true, .before_norms = false, .outer_norms = true};
        case Family::starcoder2: return {.layer_norms = true, .plain = true};
        case Family::opt: return {.layer_norms = true, .plain = true, .learned = true};
        default: return {};
    }
}

bool ModelShape::lends_keys(int index) const {
    const int first = layers - sharing_layers;
    if (!traits().power_norms || index >= first) return false;
    for (int later = index + 1; later < first; ++later)
        if (has_window(later) == has_window(index)) return false;
    return true;
}

ModelShape ModelShape::of_layer(int index) const {
    ModelShape one = *this;
    if (full_head_dim > 0 && !has_window(index)) {
        one.head_dim = full_head_dim;
        if (full_kv_heads > 0) one.kv_heads = full_kv_heads;
    } else {
        one.keys_as_values = false;
    }
    if (wide_sharing && shares_keys(index)) one.ffn *= 2;
    return one;
}

std::string_view to_string(Head head) {
    return head == Head::classifier ? "classifier" : "language_model";
}

std::string_view to_string(Activation activation) {
    switch (activation) {
        case Activation::gelu: return "gelu";
        case Activation::gelu_new: return "gelu_new";
        case Activation::gelu_tanh: return "gelu_pytorch_tanh";
        case Activation::silu: return "silu";
        case Activation::relu: return "relu";
    }
    return "";
}

Result<ModelShape> validated(ModelShape s) {
    TRY_DO(check_range("/layers", "The number of layers", s.layers, 1, 1000));
    TRY_DO(check_range("/hidden", "The hidden size", s.hidden, 1, 1 << 18));
    if (s.family != Family::lstm) TRY_DO(check_attention(s));
    TRY_DO(check_input(s));
    if (s.family == Family::naics) {
        TRY_DO(check_range("/channels", "The number of channels", s.channels, 1, 64));
    }
    TRY_DO(check_experts(s));
    if (s.head == Head::language_model && (!s.reads_text() || s.family == Family::naics))
        return wrong("/head", "This model has no language-model head.");
    if (!probability(s.hidden_dropout))
        return wrong("/hidden_dropout", "Dropout must be at least 0 and below 1.");
    if (!probability(s.attention_dropout))
        return wrong("/attention_dropout", "Dropout must be at least 0 and below 1.");
    const auto count = approximate_parameters(s);
    if (count > kMaxParameters)
        return wrong("/hidden", "The model would have about " + std::to_string(count / 1e12) +
                                    "e12 parameters; the limit is 4e12.");
    return s;
}

}  // namespace plimsoll::training
