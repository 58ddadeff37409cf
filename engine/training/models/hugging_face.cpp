#include "engine/training/models/hugging_face.hpp"

#include <cmath>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

namespace plimsoll::training {
namespace {

using Json = nlohmann::json;

// How a family spells its fields; empty = it has no such field.
struct Keys {
    Family family;
    std::string layers, hidden, heads, ffn, positions, types, activation, dropout,
        attention_dropout;
};

const std::map<std::string, Keys>& known_types() {
    static const Keys bert{Family::bert,          "num_hidden_layers",
                           "hidden_size",         "num_attention_heads",
                           "intermediate_size",   "max_position_embeddings",
                           "type_vocab_size",     "hidden_act",
                           "hidden_dropout_prob", "attention_probs_dropout_prob"};
    static const Keys roberta = [] {
        Keys k = bert;
        k.family = Family::roberta;
        return k;
    }();
    static const Keys distilbert{
        Family::distilbert,        "n_layers", "dim",        "n_heads", "hidden_dim",
        "max_position_embeddings", "",         "activation", "dropout", "attention_dropout"};
    static const Keys gpt2{Family::gpt2,  "n_layer",     "n_embd", "n_head",
                           "n_inner",     "n_positions", "",       "activation_function",
                           "resid_pdrop", "attn_pdrop"};
    static const Keys llama{Family::llama,
                            "num_hidden_layers",
                            "hidden_size",
                            "num_attention_heads",
                            "intermediate_size",
                            "",
                            "",
                            "hidden_act",
                            "",
                            "attention_dropout"};
    static const std::map<std::string, Keys> all{
        {"bert", bert},         {"roberta", roberta},       {"xlm-roberta", roberta},
        {"camembert", roberta}, {"distilbert", distilbert}, {"gpt2", gpt2},
        {"llama", llama},       {"mistral", llama},         {"qwen2", llama}};
    return all;
}

std::optional<Activation> activation_named(const std::string& name) {
    static const std::map<std::string, Activation> all{{"gelu", Activation::gelu},
                                                       {"gelu_new", Activation::gelu_new},
                                                       {"gelu_pytorch_tanh", Activation::gelu_tanh},
                                                       {"silu", Activation::silu},
                                                       {"swish", Activation::silu},
                                                       {"relu", Activation::relu}};
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

// Reads fields and remembers the first error.
class Reader {
  public:
    explicit Reader(const Json& json) : json_(json) {}

    template <class Int>
    void integer(const std::string& key, Int& out, std::optional<std::int64_t> otherwise = {}) {
        if (key.empty()) return;
        const auto found = json_.find(key);
        if (found == json_.end() || found->is_null()) {
            if (otherwise)
                out = static_cast<Int>(*otherwise);
            else
                note(key, "is missing.");
            return;
        }
        const double value = found->is_number() ? found->get<double>() : std::nan("");
        if (!std::isfinite(value) || value != std::floor(value) || std::abs(value) > 2e9)
            note(key, "must be a whole number of at most two billion, not " + found->dump() + ".");
        else
            out = static_cast<Int>(value);
    }
    void probability(const std::string& key, double& out) {
        const auto found = key.empty() ? json_.end() : json_.find(key);
        if (found == json_.end() || found->is_null()) return;
        if (!found->is_number())
            note(key, "must be a number.");
        else
            out = found->get<double>();
    }
    void boolean(const char* key, bool& out) {
        const auto found = json_.find(key);
        if (found == json_.end() || found->is_null()) return;
        if (!found->is_boolean())
            note(key, "must be true or false.");
        else
            out = found->get<bool>();
    }
    void activation(const std::string& key, Activation& out) {
        const auto found = json_.find(key);
        if (found == json_.end()) return;
        const auto named =
            found->is_string() ? activation_named(found->get<std::string>()) : std::nullopt;
        if (named)
            out = *named;
        else
            note(key, "names no known activation: " + found->dump() + ".");
    }
    const std::optional<Error>& error() const { return error_; }

  private:
    void note(const std::string& key, const std::string& rule) {
        if (!error_) error_ = Error{Errc::invalid_input, "\"" + key + "\" " + rule, "/" + key};
    }
    const Json& json_;
    std::optional<Error> error_;
};

Head head_of(const Json& json, Head otherwise) {
    const auto found = json.find("architectures");
    if (found == json.end() || !found->is_array() || found->empty() || !found->front().is_string())
        return otherwise;
    const auto name = found->front().get<std::string>();
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("MaskedLM") || has("CausalLM") || has("LMHead")) return Head::language_model;
    return has("Classification") ? Head::classifier : otherwise;
}

// validated() names our fields; translate them to the file's.
Error in_their_words(Error error, const Keys& k) {
    const std::map<std::string, std::string> names{
        {"/layers", k.layers},       {"/hidden", k.hidden},
        {"/heads", k.heads},         {"/ffn", k.ffn},
        {"/positions", k.positions}, {"/kv_heads", "num_key_value_heads"},
        {"/vocab", "vocab_size"},    {"/hidden_dropout", k.dropout},
        {"/labels", "num_labels"},   {"/attention_dropout", k.attention_dropout}};
    const auto found = names.find(error.where);
    if (found != names.end()) error.where = "/" + found->second;
    return error;
}

}  // namespace

Result<ModelShape> from_hugging_face(std::string_view text) {
    const auto json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return fail(Errc::invalid_input, "The model's config.json is no JSON object.", "");
    const auto type = json.value("model_type", Json());
    const auto found =
        type.is_string() ? known_types().find(type.get<std::string>()) : known_types().end();
    if (found == known_types().end()) {
        std::string names;
        for (const auto& [name, keys] : known_types()) names += (names.empty() ? "" : ", ") + name;
        return fail(Errc::invalid_input,
                    "The architecture " + (type.is_null() ? "(no model_type)" : type.dump()) +
                        " is not known. Known: " + names +
                        ". Describe the model by its dimensions instead.",
                    "/model_type");
    }
    const auto& k = found->second;
    const bool llama = k.family == Family::llama;
    ModelShape s;
    s.family = k.family;
    s.name = json.contains("_name_or_path") && json["_name_or_path"].is_string()
                 ? json["_name_or_path"].get<std::string>()
                 : type.get<std::string>();
    Reader read(json);
    read.integer(k.layers, s.layers);
    read.integer(k.hidden, s.hidden);
    read.integer(k.heads, s.heads);
    read.integer(
        k.ffn, s.ffn,
        k.family == Family::gpt2 ? std::optional<std::int64_t>(4LL * s.hidden) : std::nullopt);
    read.integer("vocab_size", s.vocab);
    read.integer(k.positions, s.positions);
    read.integer(k.types, s.token_types, 2);
    read.integer("num_labels", s.labels,
                 json.contains("id2label") && json["id2label"].is_object()
                     ? static_cast<std::int64_t>(json["id2label"].size())
                     : 2);
    if (llama) {
        read.integer("num_key_value_heads", s.kv_heads, s.heads);
        read.integer("head_dim", s.head_dim, 0);
        s.hidden_dropout = s.attention_dropout = 0;
        s.activation = Activation::silu;
        s.tied_head = false;
        s.qkv_bias = found->first == "qwen2";
        read.boolean("attention_bias", s.qkv_bias);
    }
    if (k.family == Family::gpt2) s.activation = Activation::gelu_new;
    read.boolean("tie_word_embeddings", s.tied_head);
    read.activation(k.activation, s.activation);
    read.probability(k.dropout, s.hidden_dropout);
    read.probability(k.attention_dropout, s.attention_dropout);
    s.head = head_of(json, s.is_decoder() ? Head::language_model : Head::classifier);
    if (read.error()) return fail(*read.error());
    auto checked = validated(s);
    if (!checked) return fail(in_their_words(checked.error(), k));
    return checked;
}

}  // namespace plimsoll::training
