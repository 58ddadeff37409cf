#include "engine/base/json.hpp"
#include "engine/training/models/config_reader.hpp"
namespace plimsoll::training {
namespace {

// Numbers of an encoder of images, by the key that the file has or the class's default.
class Sizes {
  public:
    explicit Sizes(const json& config) : config_(config) {}
    std::int64_t at(const char* key, std::int64_t otherwise) const {
        const auto found = config_.find(key);
        if (found == config_.end()) return otherwise;
        const auto& value = found->is_array() && !found->empty() ? found->front() : *found;
        return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
    }

  private:
    const json& config_;
};

std::int64_t linear(std::int64_t in, std::int64_t out, bool bias = true) {
    return in * out + (bias ? out : 0);
}

struct Encoder {
    std::int64_t layers, hidden, ffn;
    bool biases = true;
    bool gated = false;
    int norm = 2;  // vectors of a norm
};
std::int64_t count(const Encoder& e) {
    const auto mlp =
        (e.gated ? 2 : 1) * linear(e.hidden, e.ffn, e.biases) + linear(e.ffn, e.hidden, e.biases);
    return e.layers * (4 * linear(e.hidden, e.hidden, e.biases) + mlp + 2 * e.norm * e.hidden);
}

// Positions of an image's patches, and the product that reads a patch's pixels.
std::int64_t patches(const Sizes& v, std::int64_t hidden, std::int64_t image, std::int64_t patch,
                     bool bias, int more) {
    const auto size = v.at("patch_size", patch);
    const auto side = v.at("image_size", image) / size;
    return linear(3 * size * size, hidden, bias) + (side * side + more) * hidden;
}

std::int64_t siglip(const Sizes& v, std::int64_t hidden, std::int64_t image, std::int64_t patch,
                    bool pools) {
    const Encoder e{v.at("num_hidden_layers", 12), hidden, v.at("intermediate_size", 3072)};
    // A layer with a query of its own and one norm.
    const auto head = count({1, hidden, e.ffn}) - hidden;
    return patches(v, hidden, image, patch, true, 0) + count(e) + 2 * hidden + (pools ? head : 0);
}

std::int64_t clip(const Sizes& v, std::int64_t hidden) {
    const Encoder e{v.at("num_hidden_layers", 12), hidden, v.at("intermediate_size", 3072)};
    return hidden + patches(v, hidden, 224, 32, false, 1) + count(e) + 4 * hidden;
}

std::int64_t pixtral(const Sizes& v, std::int64_t hidden) {
    const auto patch = v.at("patch_size", 16);
    const Encoder e{
        v.at("num_hidden_layers", 24), hidden, v.at("intermediate_size", 4096), false, true, 1};
    return linear(3 * patch * patch, hidden, false) + hidden + count(e);
}

// Qwen's: a patch of two frames; neighbours are merged for the text.
std::int64_t qwen(const std::string& type, const Sizes& v, std::int64_t text) {
    const bool third = type.starts_with("qwen3");
    const bool second = type == "qwen2_vl";
    const auto hidden = second  ? v.at("embed_dim", 1280)
                        : third ? v.at("hidden_size", 1152)
                                : v.at("hidden_size", 3584);
    const auto patch = v.at("patch_size", third ? 16 : 14);
    const auto merged = hidden * v.at("spatial_merge_size", 2) * v.at("spatial_merge_size", 2);
    const auto ffn =
        second ? hidden * v.at("mlp_ratio", 4) : v.at("intermediate_size", third ? 4304 : 3420);
    const Encoder e{v.at("depth", third ? 27 : 32), hidden, ffn, true, !second && !third,
                    second || third ? 2 : 1};
    const auto out = second ? text : v.at("out_hidden_size", 3584);
    const auto merger = linear(merged, merged) + linear(merged, out);
    auto all = linear(3 * 2 * patch * patch, hidden, third) + count(e) + merger + e.norm * hidden;
    if (!third) return all;
    all += v.at("num_position_embeddings", 2304) * hidden;
    // Qwen3-VL's text gets what layers between return, too.
    return type.starts_with("qwen3_vl") ? all + 3 * (merger + 2 * merged) : all;
}

std::int64_t llama4(const Sizes& v, std::int64_t text) {
    const auto hidden = v.at("hidden_size", 768);
    const auto patch = v.at("patch_size", 14);
    const auto side = v.at("image_size", 448) / patch;
    const Encoder e{v.at("num_hidden_layers", 34), hidden, v.at("intermediate_size", 5632)};
    const auto narrow = v.at("projector_output_dim", 4096);
    return linear(3 * patch * patch, hidden, false) + (side * side + 2) * hidden + 4 * hidden +
           count(e) + linear(e.ffn, v.at("projector_input_dim", 4096), false) +
           linear(narrow, narrow, false) + linear(v.at("vision_output_dim", 7680), text, false);
}

// Encoders of images and of sound, either of which may be missing.
std::int64_t gemma4(const json& config, std::int64_t text) {
    std::int64_t all = 0;
    const auto images = config.find("vision_config");
    if (images != config.end() && images->is_object()) {
        const Sizes v(*images);
        const auto hidden = v.at("hidden_size", 768), layers = v.at("num_hidden_layers", 16);
        const auto patch = v.at("patch_size", 16);
        const Encoder e{layers, hidden, v.at("intermediate_size", 3072), false, true};
        all += count(e) + layers * 2 * v.at("head_dim", 64) + 3 * patch * patch * hidden +
               2 * v.at("position_embedding_size", 10'240) * hidden + hidden * text;
    }
    const auto sound = config.find("audio_config");
    if (sound == config.end() || !sound->is_object()) return all;
    const Sizes a(*sound);
    const auto hidden = a.at("hidden_size", 1024), out = a.at("output_proj_dims", 1536);
    constexpr std::int64_t kWide = 128, kNarrow = 32, kBands = 32;  // of its convolutions
    const auto layer = 24 * hidden * hidden + (9 + a.at("conv_kernel_size", 5)) * hidden +
                       hidden / a.at("num_attention_heads", 8);
    return all + a.at("num_hidden_layers", 12) * layer + 10 * kWide + 9 * kWide * kNarrow +
           kNarrow + kNarrow * kBands * hidden + linear(hidden, out) + out * text;
}

}  // namespace

std::optional<std::int64_t> count_towers(const json& config, const std::string& type,
                                         std::int64_t text) {
    if (type == "gemma4") return gemma4(config, text);
    const json vision = config.value("vision_config", json::object());
    const Sizes v(vision), outer(config);
    if (!vision.is_object()) return std::nullopt;
    if (type.starts_with("qwen")) return qwen(type, v, text);
    if (type == "llama4") return llama4(v, text);
    const bool idefics = type == "idefics3" || type == "smolvlm";
    const auto kind = vision.value("model_type", json(idefics               ? "siglip_vision_model"
                                                      : type == "gemma3"    ? "siglip_vision_model"
                                                      : type == "paligemma" ? "siglip_vision_model"
                                                      : type == "mistral3"  ? "pixtral"
                                                                            : "clip_vision_model"));
    const auto hidden = v.at("hidden_size", kind == "pixtral" ? 1024 : idefics ? 1152 : 768);
    const bool pools = vision.value("vision_use_head", json(!idefics)) == true;
    const auto encoder = kind == "pixtral"             ? pixtral(v, hidden)
                         : kind == "clip_vision_model" ? clip(v, hidden)
                         : idefics                     ? siglip(v, hidden, 224, 32, false)
                                                       : siglip(v, hidden, 224, 16, pools);
    if (type == "gemma3") return encoder + hidden * text + hidden;
    if (type == "paligemma") return encoder + linear(hidden, text);
    if (idefics) {
        const auto merged = hidden * outer.at("scale_factor", 2) * outer.at("scale_factor", 2);
        return encoder + linear(merged, text, false);
    }
    const bool bias = config.value("multimodal_projector_bias", json(type != "mistral3")) == true;
    // LLaVA-NeXT and OneVision end each row of an image with a vector.
    const auto newline = type == "llava_next" || type == "llava_onevision" ? text : 0;
    const auto projector = linear(hidden, text, bias) + linear(text, text, bias) + newline;
    if (type != "mistral3") return encoder + projector;
    const auto merge = outer.at("spatial_merge_size", 2);
    return encoder + projector + hidden + linear(hidden * merge * merge, hidden, false);
}

}  // namespace plimsoll::training
