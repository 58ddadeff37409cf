#include "engine/training/models/hugging_face.hpp"

#include "engine/base/closest.hpp"
#include "engine/training/models/config_reader.hpp"

#include <algorithm>
#include <vector>

namespace plimsoll::training {
namespace {

using Json = nlohmann::json;
using Read = void (*)(ConfigReader&, const std::string&, ModelShape&);

const std::map<std::string, Read>& known_types() {
    static const std::map<std::string, Read> all = [] {
        std::map<std::string, Read> types;
        for (const char* type : {"bert", "roberta", "xlm-roberta", "camembert", "distilbert",
                                 "modernbert", "deberta-v2", "vit", "whisper", "t5", "mt5"})
            types[type] = read_encoder_config;
        for (const char* type :
             {"gpt2", "gpt_neox", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2",
              "gemma3_text", "phi3", "mixtral", "qwen2_moe", "qwen3_moe"})
            types[type] = read_decoder_config;
        return types;
    }();
    return all;
}

// Requested models that no description by dimensions approximates.
struct Unlike {
    const char* what;
    std::vector<std::string_view> types;
};
const std::vector<Unlike>& unlike() {
    static const std::vector<Unlike> all = {
        {"an encoder-decoder, whose decoder attends to a second sequence",
         {"umt5", "longt5", "switch_transformers", "bart", "mbart", "pegasus", "marian", "m2m_100",
          "blenderbot", "led", "encoder-decoder"}},
        {"a state-space or recurrent model",
         {"mamba", "mamba2", "falcon_mamba", "jamba", "rwkv", "recurrent_gemma"}},
    };
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
    {"phi3", R"({"vocab_size":32064,"hidden_size":3072,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":8192})"},
    {"mixtral", R"({"vocab_size":32000,"hidden_size":4096,"num_hidden_layers":32,
        "num_attention_heads":32,"intermediate_size":14336,"num_key_value_heads":8,
        "num_local_experts":8,"num_experts_per_tok":2})"},
};

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

Error unknown_type(const Json& type) {
    if (type.is_null()) return {Errc::invalid_input, "\"model_type\" is missing.", "/model_type"};
    std::string names;
    std::vector<std::string> known;
    for (const auto& [name, read] : known_types()) {
        names += (names.empty() ? "" : ", ") + name;
        known.push_back(name);
    }
    const std::string asked = type.is_string() ? type.get<std::string>() : type.dump();
    for (const auto& [what, types] : unlike()) {
        if (std::ranges::find(types, asked) == types.end()) continue;
        return {Errc::invalid_input,
                "\"" + asked + "\" is not modelled: it is " + what + ". Known: " + names + ".",
                "/model_type"};
    }
    return {Errc::invalid_input,
            "The architecture \"" + asked + "\" is unknown." + did_you_mean(asked, known) +
                " Known: " + names +
                ". A model whose layers are those of one of these can be described by its "
                "\"dimensions\": family, layers, hidden, heads, ffn, vocab.",
            "/model_type"};
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

}  // namespace

Result<ModelShape> from_hugging_face(std::string_view text) {
    auto json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return fail(Errc::invalid_input, "The model's config.json is not a JSON object.", "");
    const auto type = json.value("model_type", Json());
    if (const auto inner = json.find("text_config"); inner != json.end()) {
        const auto own = inner->is_object() ? inner->value("model_type", Json("llama")) : Json();
        const bool known = own.is_string() && known_types().contains(own.get<std::string>());
        return fail(Errc::invalid_input,
                    known ? "The model is multimodal: only its language model can be estimated. "
                            "Give only its \"text_config\", with \"model_type\": " +
                                own.dump() + "."
                          : "The model is multimodal, and its language model (" + own.dump() +
                                ") is not modelled, either.",
                    "/text_config");
    }
    const auto known =
        type.is_string() ? known_types().find(type.get<std::string>()) : known_types().end();
    if (known == known_types().end()) return fail(unknown_type(type));
    ModelShape s;
    s.completed = complete(json, known->first);
    ConfigReader read(json);
    known->second(read, known->first, s);
    s.name = json.contains("_name_or_path") && json["_name_or_path"].is_string()
                 ? json["_name_or_path"].get<std::string>()
                 : known->first;
    read_labels(read, s);
    read.refuse("quantization_config",
                "is not read from the model: set the training's \"quantization\" instead.");
    const bool generates = s.is_decoder() || s.has_decoder();
    s.stored_half = s.has_rms_norm();
    for (const char* key : {"torch_dtype", "dtype"})
        if (read.has(key)) s.stored_half = json[key] == "bfloat16" || json[key] == "float16";
    s.head = head_of(json, generates ? Head::language_model : Head::classifier);
    if (read.error()) return fail(*read.error());
    auto checked = validated(s);
    if (!checked) return fail(read.in_their_words(checked.error()));
    return checked;
}

}  // namespace plimsoll::training
