#include "server/kinds/training_config/command/weights_header.hpp"

#include "engine/model_files/mapped_file.hpp"
#include "engine/model_files/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;
namespace files = ::plimsoll::model_files;

using Shapes = std::map<std::string, std::vector<std::uint64_t>, std::less<>>;

// GGUF's header, read in order; every length is checked against the file.
class Gguf {
  public:
    explicit Gguf(std::span<const std::byte> bytes) : bytes_(bytes) {}

    // False: it is damaged.
    bool read() {
        if (text(4) != "GGUF") return false;
        const auto version = number<std::uint32_t>();
        if (version != 2 && version != 3) return false;
        const auto tensors = number<std::uint64_t>(), members = number<std::uint64_t>();
        for (std::uint64_t i = 0; i < members && ok_; ++i) {
            auto key = text(number<std::uint64_t>());
            auto value = value_of(number<std::uint32_t>());
            values[std::move(key)] = std::move(value);
        }
        for (std::uint64_t i = 0; i < tensors && ok_; ++i) {
            auto& shape = shapes[text(number<std::uint64_t>())];
            const auto dimensions = number<std::uint32_t>();
            for (std::uint32_t d = 0; d < dimensions && ok_; ++d)
                shape.insert(shape.begin(), number<std::uint64_t>());
            number<std::uint32_t>();
            number<std::uint64_t>();
        }
        return ok_;
    }

    std::map<std::string, json, std::less<>> values;  // of an array: its first, or its length
    Shapes shapes;

  private:
    template <class Number>
    Number number() {
        Number out{};
        if (bytes_.size() < sizeof out) {
            ok_ = false;
            return out;
        }
        std::memcpy(&out, bytes_.data(), sizeof out);
        bytes_ = bytes_.subspan(sizeof out);
        return out;
    }

    std::string text(std::uint64_t length) {
        if (length > bytes_.size()) {
            ok_ = false;
            return {};
        }
        std::string out(reinterpret_cast<const char*>(bytes_.data()), length);
        bytes_ = bytes_.subspan(length);
        return out;
    }

    json value_of(std::uint32_t type) {
        switch (type) {
            case 0: return number<std::uint8_t>();
            case 1: return number<std::int8_t>();
            case 2: return number<std::uint16_t>();
            case 3: return number<std::int16_t>();
            case 4: return number<std::uint32_t>();
            case 5: return number<std::int32_t>();
            case 6: return number<float>();
            case 7: return number<std::uint8_t>() != 0;
            case 8: return text(number<std::uint64_t>());
            case 10: return number<std::uint64_t>();
            case 11: return number<std::int64_t>();
            case 12: return number<double>();
            case 9: break;
            default: ok_ = false; return {};
        }
        const auto of = number<std::uint32_t>();
        const auto length = number<std::uint64_t>();
        json first;
        ok_ = ok_ && of != 9;
        for (std::uint64_t i = 0; i < length && ok_; ++i) {
            auto value = value_of(of);
            if (i == 0) first = std::move(value);
        }
        return first.is_number() ? first : json(length);
    }

    std::span<const std::byte> bytes_;
    bool ok_ = true;
};

struct Architecture {
    std::string_view name, type;  // llama.cpp's and transformers'
};
constexpr std::array kArchitectures = {
    Architecture{"llama", "llama"},        Architecture{"qwen2", "qwen2"},
    Architecture{"qwen3", "qwen3"},        Architecture{"qwen2moe", "qwen2_moe"},
    Architecture{"qwen3moe", "qwen3_moe"}, Architecture{"gemma", "gemma"},
    Architecture{"gemma2", "gemma2"},      Architecture{"gemma3", "gemma3_text"},
    Architecture{"phi3", "phi3"},          Architecture{"starcoder2", "starcoder2"},
    Architecture{"olmo2", "olmo2"},        Architecture{"olmoe", "olmoe"},
    Architecture{"granite", "granite"},    Architecture{"smollm3", "smollm3"},
    Architecture{"glm4", "glm4"},          Architecture{"exaone4", "exaone4"},
    Architecture{"seed_oss", "seed_oss"},  Architecture{"gpt-oss", "gpt_oss"},
};

std::uint64_t side(const Shapes& shapes, const std::string& name, std::size_t which) {
    const auto found = shapes.find(name);
    return found == shapes.end() || which >= found->second.size() ? 0 : found->second[which];
}

Result<json> of_gguf(const fs::path& path) {
    TRY(const auto file, files::MappedFile::open(path));
    Gguf gguf(file.bytes());
    if (!gguf.read())
        return fail(Errc::corrupt, "The header is not that of GGUF, version 2 or 3.",
                    path.string());
    const auto value = [&](const std::string& key) -> json {
        const auto found = gguf.values.find(key);
        return found == gguf.values.end() ? json() : found->second;
    };
    const auto named = value("general.architecture");
    const std::string architecture = named.is_string() ? named.get<std::string>() : "";
    const auto* known = std::ranges::find(kArchitectures, architecture, &Architecture::name);
    if (known == kArchitectures.end())
        return fail(Errc::invalid_input,
                    "Its architecture, " + (architecture.empty() ? "unnamed" : architecture) +
                        ", is not read from GGUF: give the config.json of the model that it was "
                        "made from.",
                    path.string());
    const auto of = [&](const char* key) { return value(architecture + "." + key); };
    json config = {{"model_type", known->type}, {"dtype", "bfloat16"}};
    const auto put = [&](const char* name, json number) {
        if (number.is_number_integer()) config[name] = std::move(number);
    };
    put("hidden_size", of("embedding_length"));
    put("num_hidden_layers", of("block_count"));
    put("intermediate_size", of("feed_forward_length"));
    put("num_attention_heads", of("attention.head_count"));
    put("num_key_value_heads", of("attention.head_count_kv"));
    put("head_dim", of("attention.key_length"));
    put("max_position_embeddings", of("context_length"));
    put("sliding_window", of("attention.sliding_window"));
    const json experts = of("expert_count"), used = of("expert_used_count");
    if (experts.is_number_integer() && experts > 0) {
        if (architecture == "llama") config["model_type"] = "mixtral";
        for (const auto* name : {"num_experts", "num_local_experts"}) config[name] = experts;
        put("num_experts_per_tok", used);
        put("moe_intermediate_size", of("expert_feed_forward_length"));
        put("shared_expert_intermediate_size", of("expert_shared_feed_forward_length"));
    }
    config["vocab_size"] = side(gguf.shapes, "token_embd.weight", 0);
    config["tie_word_embeddings"] = !gguf.shapes.contains("output.weight");
    if (gguf.shapes.contains("blk.0.attn_q.bias") && architecture == "llama")
        config["attention_bias"] = true;
    return config;
}

// Decoders like Llama: their tensors tell all but how many heads share the width of q.
Result<json> of_safetensors(const fs::path& path) {
    const bool is_part = files::is_safetensors_part(path.filename().string());
    TRY(const auto file,
        is_part ? files::read_safetensors_parts(path.parent_path() / "model.safetensors.index.json")
                : files::read_safetensors(path));
    Shapes shapes;
    json dtype;
    for (const auto& [name, tensor] : file.tensors) {
        shapes[name] = tensor.shape;
        if (!dtype.is_null()) continue;
        if (tensor.type == files::NumberType::bfloat16) dtype = "bfloat16";
        if (tensor.type == files::NumberType::float16) dtype = "float16";
        if (tensor.type == files::NumberType::float32) dtype = "float32";
    }
    const std::string layer = "model.layers.0.";
    const auto of = [&](const char* name, std::size_t which = 0) {
        return side(shapes, layer + name, which);
    };
    const auto hidden = side(shapes, "model.embed_tokens.weight", 1);
    const auto q = of("self_attn.q_proj.weight"), k = of("self_attn.k_proj.weight");
    const auto ffn = of("mlp.gate_proj.weight");
    const bool others =
        of("input_layernorm.weight") == 0 || of("post_attention_layernorm.weight") == 0 ||
        of("pre_feedforward_layernorm.weight") > 0 || of("post_self_attn_layernorm.weight") > 0;
    if (hidden == 0 || q == 0 || k == 0 || ffn == 0 || others)
        return fail(Errc::invalid_input,
                    "Its tensors are not those of a decoder like Llama or Qwen, whose sizes say "
                    "which model it is: put its config.json beside it.",
                    path.string());
    std::uint64_t layers = 0;
    while (shapes.contains("model.layers." + std::to_string(layers) + ".input_layernorm.weight"))
        ++layers;
    const auto normed = of("self_attn.q_norm.weight");
    const std::uint64_t head = normed > 0 ? normed : hidden >= 1536 && k % 128 == 0 ? 128 : 64;
    if (q % head != 0 || k % head != 0)
        return fail(Errc::invalid_input,
                    "How many heads it has cannot be told: put its config.json beside it.",
                    path.string());
    const bool biased = of("self_attn.q_proj.bias") > 0;
    return json{{"model_type", normed > 0 ? "qwen3"
                               : biased   ? "qwen2"
                                          : "llama"},
                {"hidden_size", hidden},
                {"num_hidden_layers", layers},
                {"intermediate_size", ffn},
                {"num_attention_heads", q / head},
                {"num_key_value_heads", k / head},
                {"head_dim", head},
                {"vocab_size", side(shapes, "model.embed_tokens.weight", 0)},
                {"tie_word_embeddings", !shapes.contains("lm_head.weight")},
                {"max_position_embeddings", 131'072},
                {"dtype", dtype}};
}

}  // namespace

bool is_weights_file(const fs::path& path) {
    return path.extension() == ".gguf" || path.extension() == ".safetensors";
}

Result<json> config_of_weights(const fs::path& path) {
    return path.extension() == ".gguf" ? of_gguf(path) : of_safetensors(path);
}

}  // namespace plimsoll::jobs::training_config
