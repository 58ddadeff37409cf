#include "engine/training/models/config_reader.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plimsoll::training {
namespace {

std::optional<Activation> activation_named(const std::string& name) {
    static const std::map<std::string, Activation> all{
        {"gelu", Activation::gelu},          {"gelu_new", Activation::gelu_new},
        {"gelu_fast", Activation::gelu_new}, {"gelu_pytorch_tanh", Activation::gelu_tanh},
        {"silu", Activation::silu},          {"swish", Activation::silu},
        {"relu", Activation::relu}};
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool ConfigReader::has(const std::string& key) const {
    const auto found = json_.find(key);
    return found != json_.end() && !found->is_null();
}

std::optional<std::int64_t> ConfigReader::whole(const std::string& key) {
    if (!has(key)) return std::nullopt;
    const auto& found = json_.at(key);
    const double value = found.is_number() ? found.get<double>() : std::nan("");
    if (!std::isfinite(value) || value != std::floor(value) || std::abs(value) > 2e9) {
        note(key, "must be a whole number of at most two billion, not " + found.dump() + ".");
        return std::nullopt;
    }
    return static_cast<std::int64_t>(value);
}

void ConfigReader::number(const std::string& key, double& out, const char* field) {
    if (field != nullptr) keys_[field] = key;
    if (!has(key)) return;
    if (json_.at(key).is_number())
        out = json_.at(key).get<double>();
    else
        note(key, "must be a number.");
}

void ConfigReader::boolean(const std::string& key, bool& out) {
    if (!has(key)) return;
    if (json_.at(key).is_boolean())
        out = json_.at(key).get<bool>();
    else
        note(key, "must be true or false.");
}

void ConfigReader::activation(const std::string& key, Activation& out) {
    const auto found = json_.find(key);
    if (found == json_.end()) return;
    const auto named =
        found->is_string() ? activation_named(found->get<std::string>()) : std::nullopt;
    if (named)
        out = *named;
    else
        note(key, "is not a known activation: " + found->dump() + ".");
}

void ConfigReader::refuse(const std::string& key, const std::string& why) {
    if (!has(key)) return;
    const auto& value = json_.at(key);
    const bool off = value == false || value == 0 || (value.is_structured() && value.empty());
    if (!off) note(key, why);
}

void ConfigReader::note(const std::string& key, const std::string& rule) {
    if (!error_) error_ = Error{Errc::invalid_input, "\"" + key + "\" " + rule, "/" + key};
}

Error ConfigReader::in_their_words(Error error) const {
    if (error.where.empty()) return error;
    const auto found = keys_.find(error.where.substr(1));
    if (found != keys_.end()) error.where = "/" + found->second;
    return error;
}

void read_sizes(ConfigReader& read, ModelShape& s) {
    read.required("num_hidden_layers", s.layers, "layers");
    read.required("hidden_size", s.hidden, "hidden");
    read.required("num_attention_heads", s.heads, "heads");
    // Where every layer has experts, nothing else may be said.
    const bool apart = !read.has("intermediate_size") && read.has("moe_intermediate_size");
    read.required(apart ? "moe_intermediate_size" : "intermediate_size", s.ffn, "ffn");
}

void set_full_layers(ModelShape& s, std::vector<bool> full) {
    const auto next = [&](auto from) { return std::find(from, full.end(), true); };
    const auto first = next(full.begin());
    s.full_layers.clear();
    s.full_at = s.full_every = 0;
    if (first == full.end()) return;
    const auto second = next(first + 1);
    s.full_at = static_cast<int>(first - full.begin());
    s.full_every = second == full.end() ? s.layers : static_cast<int>(second - first);
    for (int i = 0; i < s.layers; ++i)
        if (s.is_limited(i) == full[static_cast<std::size_t>(i)]) {
            s.full_layers = std::move(full);
            return;
        }
}

void read_layer_types(ConfigReader& read, ModelShape& s) {
    if (!read.has("layer_types")) return;
    const auto& types = read.json().at("layer_types");
    if (!types.is_array() || types.size() != static_cast<std::size_t>(s.layers))
        return read.note("layer_types", "must have one entry for each layer.");
    const auto& traits = s.own_traits;
    const auto limited = traits && traits->delta               ? "linear_attention"
                         : traits && traits->short_convolution ? "conv"
                                                               : "sliding_attention";
    std::vector<bool> all;
    for (const auto& type : types) {
        if (type != "full_attention" && type != limited)
            return read.note("layer_types",
                             "has an entry that is not modelled: " + type.dump() + ".");
        all.push_back(type == "full_attention");
    }
    set_full_layers(s, std::move(all));
}

}  // namespace plimsoll::training
