#include "engine/training/models/hugging_face.hpp"

#include "engine/training/models/config_reader.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace plimsoll::training {
namespace {

using Json = nlohmann::json;
using Read = void (*)(ConfigReader&, const std::string&, ModelShape&);

const std::map<std::string, Read>& known_types() {
    static const std::map<std::string, Read> all = [] {
        std::map<std::string, Read> types;
        for (const char* type :
             {"bert", "roberta", "xlm-roberta", "camembert", "distilbert", "modernbert",
              "deberta-v2", "vit", "whisper", "t5", "mt5", "electra", "bart"})
            types[type] = read_encoder_config;
        for (const char* type : {"gpt2",        "gpt_neox",    "llama",        "mistral",
                                 "qwen2",       "qwen3",       "gemma",        "gemma2",
                                 "gemma3_text", "gemma4_text", "phi3",         "mixtral",
                                 "qwen2_moe",   "qwen3_moe",   "smollm3",      "granite",
                                 "olmo2",       "olmo3",       "exaone4",      "seed_oss",
                                 "starcoder2",  "opt",         "glm",          "glm4",
                                 "glm4_moe",    "ministral3",  "deepseek_v2",  "deepseek_v3",
                                 "kimi_k2",     "gpt_oss",     "granitemoe",   "olmoe",
                                 "llama4_text", "bloom",       "qwen3_5_text", "qwen3_5_moe_text",
                                 "qwen3_next",  "lfm2",        "lfm2_moe"})
            types[type] = read_decoder_config;
        return types;
    }();
    return all;
}

// What transformers 5.17 takes for a key that the file leaves out: nested files hold only what
// differs.
struct Default {
    std::string_view type;
    const char* values;
};
constexpr Default kDefaults[] = {
    {"bert", R"({"vocab_size":30522,"hidden_size":768,"num_hidden_layers":12,
        "num_attention_heads":12,"intermediate_size":3072,"max_position_embeddings":512})"},
    {"roberta", R"({"vocab_size":50265,"hidden_size":768,"num_hidden_layers":12,
        "num_attention_heads":12,"intermediate_size":3072,"max_position_embeddings":512})"},
    {"vit", R"({"hidden_size":768,"num_hidden_layers":12,"num_attention_heads":12,
        "intermediate_size":3072,"image_size":224,"patch_size":16})"},
    {"t5", R"({"vocab_size":32128,"d_model":512,"d_ff":2048,"num_heads":8,"d_kv":64,
        "num_layers":6})"},
    {"mt5", R"({"vocab_size":250112,"d_model":512,"d_ff":1024,"num_heads":6,"d_kv":64,
        "num_layers":8,"feed_forward_proj":"gated-gelu","tie_word_embeddings":false})"},
    {"llama", R"({"vocab_size":32000,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":11008})"},
    {"mistral", R"({"vocab_size":32000,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":14336,"num_key_value_heads":8})"},
    {"qwen2", R"({"vocab_size":151936,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":22016})"},
    {"qwen3", R"({"vocab_size":151936,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":22016})"},
    {"gemma", R"({"vocab_size":256000,"hidden_size":3072,"num_hidden_layers":28,
        "num_attention_heads":16,"intermediate_size":24576})"},
    {"gemma2", R"({"vocab_size":256000,"hidden_size":2304,"num_hidden_layers":26,
        "num_attention_heads":8,"intermediate_size":9216,"num_key_value_heads":4})"},
    {"gemma3_text", R"({"vocab_size":262208,"hidden_size":2304,"num_hidden_layers":26,
        "num_attention_heads":8,"intermediate_size":9216,"num_key_value_heads":4})"},
    {"gemma4_text", R"({"vocab_size":262144,"hidden_size":2304,"num_hidden_layers":30,
        "num_attention_heads":8,"intermediate_size":9216,"num_key_value_heads":4})"},
    {"phi3", R"({"vocab_size":32064,"hidden_size":3072,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":8192})"},
    {"mixtral", R"({"vocab_size":32000,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":14336,"num_key_value_heads":8,
        "num_local_experts":8,"num_experts_per_tok":2})"},
    {"smollm3", R"({"vocab_size":128256,"hidden_size":2048,"num_hidden_layers":36,
        "num_attention_heads":16,"intermediate_size":11008,"num_key_value_heads":4,
        "tie_word_embeddings":true})"},
    {"granite", R"({"vocab_size":32000,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":11008})"},
    {"olmo2", R"({"vocab_size":50304,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":11008})"},
    {"olmo3", R"({"vocab_size":50304,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":11008})"},
    {"seed_oss", R"({"vocab_size":155136,"hidden_size":4096,"num_hidden_layers":64,
        "num_attention_heads":80,"intermediate_size":27648,"num_key_value_heads":8,
        "head_dim":128})"},
    {"bloom", R"({"vocab_size":250880,"hidden_size":64,"n_layer":2,"n_head":8})"},
    {"bart", R"({"vocab_size":50265,"max_position_embeddings":1024,"encoder_layers":12,
        "encoder_ffn_dim":4096,"encoder_attention_heads":16,"decoder_layers":12,
        "decoder_ffn_dim":4096,"decoder_attention_heads":16,"d_model":1024})"},
    {"starcoder2", R"({"vocab_size":49152,"hidden_size":3072,"num_hidden_layers":30,
        "num_attention_heads":24,"intermediate_size":12288,"num_key_value_heads":2})"},
    {"opt", R"({"vocab_size":50272,"hidden_size":768,"num_hidden_layers":12,
        "num_attention_heads":12,"ffn_dim":3072,"max_position_embeddings":2048})"},
    {"glm", R"({"vocab_size":151552,"hidden_size":4096,"num_hidden_layers":40,
        "num_attention_heads":32,"intermediate_size":13696,"num_key_value_heads":2,
        "head_dim":128})"},
    {"glm4", R"({"vocab_size":151552,"hidden_size":4096,"num_hidden_layers":40,
        "num_attention_heads":32,"intermediate_size":13696,"num_key_value_heads":2,
        "head_dim":128})"},
    {"glm4_moe", R"({"vocab_size":151552,"hidden_size":4096,"num_hidden_layers":46,
        "num_attention_heads":96,"intermediate_size":10944,"num_key_value_heads":8,
        "moe_intermediate_size":1408,"num_experts_per_tok":8,"n_shared_experts":1,
        "n_routed_experts":128,"first_k_dense_replace":1})"},
    {"ministral3", R"({"vocab_size":131072,"hidden_size":4096,"num_hidden_layers":34,
        "num_attention_heads":32,"intermediate_size":14336,"num_key_value_heads":8,
        "head_dim":128})"},
    {"deepseek_v2", R"({"vocab_size":102400,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":11008,"first_k_dense_replace":0,
        "q_lora_rank":1536,"n_routed_experts":64,"n_shared_experts":2,
        "moe_intermediate_size":1407})"},
    {"deepseek_v3", R"({"vocab_size":129280,"hidden_size":7168,"num_hidden_layers":61,
        "num_attention_heads":128,"intermediate_size":18432,"first_k_dense_replace":3,
        "q_lora_rank":1536,"n_routed_experts":256,"n_shared_experts":1,
        "moe_intermediate_size":2048,"num_experts_per_tok":8})"},
    {"qwen3_5_text", R"({"vocab_size":248320,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":16,"intermediate_size":12288,"num_key_value_heads":4})"},
    {"qwen3_5_moe_text", R"({"vocab_size":248320,"hidden_size":2048,"num_hidden_layers":40,
        "num_attention_heads":16,"num_key_value_heads":2,"moe_intermediate_size":512,
        "shared_expert_intermediate_size":512,"num_experts_per_tok":8,"num_experts":256})"},
    {"qwen3_next", R"({"vocab_size":151936,"hidden_size":2048,"num_hidden_layers":48,
        "num_attention_heads":16,"intermediate_size":5632,"num_key_value_heads":2,
        "moe_intermediate_size":512,"shared_expert_intermediate_size":512,
        "num_experts_per_tok":10,"num_experts":512})"},
    {"lfm2", R"({"vocab_size":65536,"hidden_size":2560,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":12288,"num_key_value_heads":8})"},
    {"lfm2_moe", R"({"vocab_size":65536,"hidden_size":2048,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":7168,"num_key_value_heads":8,
        "moe_intermediate_size":1792,"num_experts":32,"num_experts_per_tok":4,
        "num_dense_layers":2})"},
    {"gpt_oss", R"({"vocab_size":201088,"hidden_size":2880,"num_hidden_layers":36,
        "num_attention_heads":64,"intermediate_size":2880,"num_key_value_heads":8,
        "head_dim":64,"num_local_experts":128,"num_experts_per_tok":4})"},
    {"granitemoe", R"({"vocab_size":32000,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":11008,"num_local_experts":8,
        "num_experts_per_tok":2})"},
    {"olmoe", R"({"vocab_size":50304,"hidden_size":2048,"num_hidden_layers":16,
        "num_attention_heads":16,"intermediate_size":2048,"num_experts":64,
        "num_experts_per_tok":8})"},
    {"llama4_text", R"({"vocab_size":202048,"hidden_size":5120,"num_hidden_layers":48,
        "num_attention_heads":40,"intermediate_size":8192,"intermediate_size_mlp":16384,
        "num_key_value_heads":8,"head_dim":128,"num_local_experts":16,"num_experts_per_tok":1})"},
    {"electra", R"({"vocab_size":30522,"embedding_size":128,"hidden_size":256,
        "num_hidden_layers":12,"num_attention_heads":4,"intermediate_size":1024,
        "max_position_embeddings":512})"},
    {"exaone4", R"({"vocab_size":102400,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":16384})"},
};

void add_words(std::string& all, const std::string& words) {
    all += (all.empty() ? "" : "; ") + words;
}

// Adds them, and returns them in words.
std::string complete(Json& config, const std::string& type) {
    std::string words;
    const auto found = std::ranges::find(kDefaults, std::string_view(type), &Default::type);
    if (found == std::end(kDefaults)) return words;
    const auto values = Json::parse(found->values);
    for (const auto& [key, value] : values.items()) {
        if (config.contains(key)) continue;
        config[key] = value;
        words += (words.empty() ? "" : ", ") + key + " " + value.dump();
    }
    return words;
}

// Models of images and text, and the type of what reads the text, where the file does not say.
constexpr std::pair<std::string_view, const char*> kMultimodal[] = {
    {"gemma3", "gemma3_text"},
    {"gemma4", "gemma4_text"},
    {"llava", "llama"},
    {"llava_next", "llama"},
    {"mistral3", "mistral"},
    {"qwen2_vl", "qwen2"},
    {"qwen2_5_vl", "qwen2"},
    {"qwen3_vl", "qwen3"},
    {"idefics3", "llama"},
    {"smolvlm", "llama"},
    {"paligemma", "gemma"},
    {"llama4", "llama4_text"},
    {"qwen3_vl_moe", "qwen3_moe"},
    {"llava_onevision", "qwen2"},
    {"qwen3_5", "qwen3_5_text"},
    {"qwen3_5_moe", "qwen3_5_moe_text"},
};

// The language model's part of the file, which may be all of it.
Json language_of(const Json& outer, const char* type) {
    const auto text = outer.value("text_config", Json());
    if (!text.is_object()) {
        Json all = outer;
        all["model_type"] = type;
        return all;
    }
    Json inner = text;
    const std::string own = text.value("model_type", Json(type)).dump();
    if (!text.contains("model_type") || own.find("_vl") != std::string::npos)
        inner["model_type"] = type;
    for (const char* key : {"tie_word_embeddings", "torch_dtype", "dtype", "architectures",
                            "_name_or_path", "quantization_config"})
        if (outer.contains(key)) inner[key] = outer[key];
    return inner;
}

bool names_causal_lm(const Json& json) {
    return json.value("architectures", Json()).dump().find("ForCausalLM") != std::string::npos;
}

Head head_of(const Json& json, Head otherwise) {
    const auto found = json.find("architectures");
    if (found == json.end() || !found->is_array() || found->empty() || !found->front().is_string())
        return otherwise;
    const auto name = found->front().get<std::string>();
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("MaskedLM") || has("CausalLM") || has("LMHead") || has("ConditionalGeneration"))
        return Head::language_model;
    return has("Classification") ? Head::classifier : otherwise;
}

void read_labels(ConfigReader& read, ModelShape& s) {
    const auto names = read.json().find("id2label");
    s.labels =
        names != read.json().end() && names->is_object() ? static_cast<int>(names->size()) : 2;
    read.integer("num_labels", s.labels, "labels");
}

Result<ModelShape> read_language_model(Json json) {
    const auto type = json.value("model_type", Json());
    const auto known =
        type.is_string() ? known_types().find(type.get<std::string>()) : known_types().end();
    if (known == known_types().end()) {
        std::vector<std::string> names;
        for (const auto& [name, read] : known_types()) names.push_back(name);
        return fail(unknown_type(json, std::move(names)));
    }
    ModelShape s;
    s.completed = complete(json, known->first);
    ConfigReader read(json);
    known->second(read, known->first, s);
    s.name = json.contains("_name_or_path") && json["_name_or_path"].is_string()
                 ? json["_name_or_path"].get<std::string>()
                 : known->first;
    read_labels(read, s);
    // Published in 4 or 8 bits that no gradient passes through: training begins with 16. What stays
    // quantized is a setting of the training.
    const auto packed = json.value("quantization_config", Json::object());
    const bool unpacks = packed.is_object() && (packed.value("quant_method", Json()) == "mxfp4" ||
                                                packed.value("quant_method", Json()) == "fp8");
    if (unpacks)
        add_words(s.noted,
                  "weights in 16 bits instead of " + packed["quant_method"].get<std::string>());
    const bool generates = s.is_decoder() || s.has_decoder();
    s.stored_half = s.has_rms_norm() && s.family != Family::opt;
    for (const char* key : {"torch_dtype", "dtype"})
        if (read.has(key))
            s.stored_half = std::ranges::any_of(  // "torch.bfloat16" in files written by hand
                std::array{"bfloat16", "float16", "torch.bfloat16", "torch.float16"},
                [&](const char* half) { return json[key] == half; });
    s.head = head_of(json, generates ? Head::language_model : Head::classifier);
    if (s.has_decoder() && names_causal_lm(json))
        read.note("architectures",
                  "names the decoder alone, which is not modelled without its encoder.");
    if (read.error()) return fail(*read.error());
    auto checked = validated(s);
    if (!checked) return fail(read.in_their_words(checked.error()));
    return checked;
}

}  // namespace

Result<ModelShape> from_hugging_face(std::string_view text) {
    auto json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return fail(Errc::invalid_input, "The model's config.json is not a JSON object.", "");
    const auto type = json.value("model_type", Json());
    const auto multimodal = std::ranges::find_if(
        kMultimodal, [&](const auto& one) { return type == std::string(one.first); });
    if (multimodal == std::end(kMultimodal)) return read_language_model(std::move(json));
    auto shape = read_language_model(language_of(json, multimodal->second));
    if (!shape) return shape;
    // transformers has classes of their texts alone.
    const bool divides = type == "llama4" || type == "qwen3_5" || type == "qwen3_5_moe";
    if (divides && names_causal_lm(json)) return shape;
    const auto towers = count_towers(json, type.get<std::string>(), shape->hidden);
    if (!towers)
        return fail(Errc::invalid_input, "\"vision_config\" is not a JSON object.",
                    "/vision_config");
    shape->towers = *towers;
    add_words(shape->noted, "texts without images; the " + std::to_string(*towers) +
                                " parameters of the encoder of images are frozen");
    return shape;
}

}  // namespace plimsoll::training
