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
                                 "modernbert", "deberta-v2", "vit", "whisper", "t5"})
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
         {"mt5", "umt5", "longt5", "switch_transformers", "bart", "mbart", "pegasus", "marian",
          "m2m_100", "blenderbot", "led", "encoder-decoder"}},
        {"a state-space or recurrent model",
         {"mamba", "mamba2", "falcon_mamba", "jamba", "rwkv", "recurrent_gemma"}},
    };
    return all;
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
                ". Describe a model with the same layer structure by its \"dimensions\" instead.",
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
    const auto json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return fail(Errc::invalid_input, "The model's config.json is not a JSON object.", "");
    const auto type = json.value("model_type", Json());
    if (json.contains("text_config"))
        return fail(Errc::invalid_input,
                    "The model is multimodal: only its language model can be estimated. Give only "
                    "its \"text_config\".",
                    "/text_config");
    const auto known =
        type.is_string() ? known_types().find(type.get<std::string>()) : known_types().end();
    if (known == known_types().end()) return fail(unknown_type(type));
    ConfigReader read(json);
    ModelShape s;
    known->second(read, known->first, s);
    s.name = json.contains("_name_or_path") && json["_name_or_path"].is_string()
                 ? json["_name_or_path"].get<std::string>()
                 : known->first;
    read_labels(read, s);
    read.refuse("quantization_config",
                "is not read from the model: set the training's \"quantization\" instead.");
    const bool generates = s.is_decoder() || s.has_decoder();
    s.head = head_of(json, generates ? Head::language_model : Head::classifier);
    if (read.error()) return fail(*read.error());
    auto checked = validated(s);
    if (!checked) return fail(read.in_their_words(checked.error()));
    return checked;
}

}  // namespace plimsoll::training
