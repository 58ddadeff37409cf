#include "engine/base/json.hpp"
#include "engine/training/models/config_reader.hpp"

namespace plimsoll::training {

void read_gemma(ConfigReader& read, Family family, ModelShape& s) {
    s.tied_head = true;
    s.head_dim = 256;
    s.activation = Activation::gelu_tanh;
    read.activation("hidden_act", s.activation);
    read.activation("hidden_activation", s.activation);
    const auto caps = [&](const char* key, bool otherwise) {
        return read.json().contains(key) ? read.has(key) : otherwise;
    };
    const bool second = family == Family::gemma2;
    if (second) s.capped_scores = caps("attn_logit_softcapping", true);
    if (family != Family::gemma) s.capped_logits = caps("final_logit_softcapping", second);
    read.refuse("use_bidirectional_attention", "must be false: it is not modelled.");
}

// Layers without a window differ in more than what they see, and the small models give each layer
// inputs of its own.
void read_gemma4(ConfigReader& read, ModelShape& s) {
    s.tied_head = true;
    s.head_dim = 256;
    s.activation = Activation::gelu_tanh;
    read.activation("hidden_activation", s.activation);
    s.capped_logits = read.has("final_logit_softcapping");
    s.full_head_dim = 512;
    read.integer("global_head_dim", s.full_head_dim);
    read.boolean("attention_k_eq_v", s.keys_as_values);
    if (s.keys_as_values) read.integer("num_global_key_value_heads", s.full_kv_heads);
    // As transformers writes it: the sizes of layers by their number.
    const auto layers = read.json().find("per_layer_config");
    if (layers != read.json().end() && layers->is_object() && !layers->empty()) {
        ConfigReader one(layers->begin().value());
        one.integer("head_dim", s.full_head_dim);
        one.integer("num_key_value_heads", s.full_kv_heads);
    }
    read.integer("num_kv_shared_layers", s.sharing_layers);
    read.boolean("use_double_wide_mlp", s.wide_sharing);
    s.layer_inputs = 256;
    s.layer_vocab = 262'144;
    read.integer("hidden_size_per_layer_input", s.layer_inputs);
    if (read.json().contains("hidden_size_per_layer_input") &&
        !read.has("hidden_size_per_layer_input"))
        s.layer_inputs = 0;
    read.integer("vocab_size_per_layer_input", s.layer_vocab);
    read.boolean("enable_moe_block", s.own_traits->beside);
    if (s.own_traits->beside) {
        s.family = Family::mixtral;
        read.required("num_experts", s.experts, "experts");
        read.required("top_k_experts", s.experts_per_row, "experts_per_row");
        read.required("moe_intermediate_size", s.expert_hidden, "expert_hidden");
    }
    if (read.json().value("use_bidirectional_attention", json()) == "all")
        read.note("use_bidirectional_attention", "must not be \"all\": it is not modelled.");
}

}  // namespace plimsoll::training
