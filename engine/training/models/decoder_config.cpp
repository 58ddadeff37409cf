#include "engine/training/models/config_reader.hpp"
#include "engine/training/models/decoder_traits.hpp"

#include <vector>

namespace plimsoll::training {
namespace {

using nlohmann::json;

const std::map<std::string, Family>& rms_norm_types() {
    static const std::map<std::string, Family> all{
        {"llama", Family::llama},         {"mistral", Family::llama},
        {"qwen2", Family::llama},         {"qwen3", Family::qwen3},
        {"gemma", Family::gemma},         {"gemma2", Family::gemma2},
        {"gemma3_text", Family::gemma3},  {"phi3", Family::phi3},
        {"mixtral", Family::mixtral},     {"qwen2_moe", Family::qwen2_moe},
        {"qwen3_moe", Family::qwen3_moe}, {"smollm3", Family::llama},
        {"granite", Family::granite},     {"olmo2", Family::olmo2},
        {"olmo3", Family::olmo3},         {"exaone4", Family::exaone4},
        {"seed_oss", Family::llama},      {"starcoder2", Family::starcoder2},
    };
    return all;
}

void read_gpt2(ConfigReader& read, ModelShape& s) {
    read.required("n_layer", s.layers, "layers");
    read.required("n_embd", s.hidden, "hidden");
    read.required("n_head", s.heads, "heads");
    s.ffn = 4 * s.hidden;
    read.integer("n_inner", s.ffn, "ffn");
    read.required("n_positions", s.positions, "positions");
    s.activation = Activation::gelu_new;
    read.activation("activation_function", s.activation);
    read.number("resid_pdrop", s.hidden_dropout, "hidden_dropout");
    read.number("attn_pdrop", s.attention_dropout, "attention_dropout");
    read.refuse("add_cross_attention", "must be false: cross-attention is not modelled.");
}

void read_common(ConfigReader& read, ModelShape& s) {
    read_sizes(read, s);
    s.hidden_dropout = s.attention_dropout = 0;
    s.tied_head = false;
    read.activation("hidden_act", s.activation);
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
}

// Written beside other keys in older files, among the rotary parameters in newer ones.
void read_rotary_share(ConfigReader& read, const char* key, ModelShape& s) {
    read.number(key, s.rotary_share, "rotary_share");
    const auto& j = read.json();
    for (const char* place : {"rope_parameters", "rope_scaling"}) {
        const auto found = j.find(place);
        if (found == j.end() || !found->is_object()) continue;
        const auto share = found->find("partial_rotary_factor");
        if (share != found->end() && share->is_number()) s.rotary_share = share->get<double>();
    }
    if (!(s.rotary_share > 0 && s.rotary_share <= 1))
        read.note(key, "must be above 0 and at most 1.");
}

void read_gpt_neox(ConfigReader& read, ModelShape& s) {
    read_common(read, s);
    read.required("max_position_embeddings", s.positions, "positions");
    read.number("hidden_dropout", s.hidden_dropout, "hidden_dropout");
    read.boolean("attention_bias", s.qkv_bias);
    read.boolean("use_parallel_residual", s.parallel_blocks);
    s.rotary_share = 0.25;
    read_rotary_share(read, "rotary_pct", s);
}

void read_opt(ConfigReader& read, ModelShape& s) {
    read.required("num_hidden_layers", s.layers, "layers");
    read.required("hidden_size", s.hidden, "hidden");
    read.required("num_attention_heads", s.heads, "heads");
    read.required("ffn_dim", s.ffn, "ffn");
    read.required("max_position_embeddings", s.positions, "positions");
    s.activation = Activation::relu;
    s.attention_dropout = 0;
    read.activation("activation_function", s.activation);
    read.number("dropout", s.hidden_dropout, "hidden_dropout");
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
    read.boolean("enable_bias", s.qkv_bias);
    s.output_bias = s.ffn_bias = s.qkv_bias;
    int width = s.hidden;
    read.integer("word_embed_proj_dim", width);
    if (width != s.hidden)
        read.note("word_embed_proj_dim", "must be hidden_size: another width is not modelled.");
    bool before = true;
    read.boolean("do_layer_norm_before", before);
    if (!before) read.note("do_layer_norm_before", "must be true: norms behind are not modelled.");
    read.refuse("layerdrop", "must be 0: layers that are left out are not modelled.");
    read.refuse("_remove_final_layer_norm", "must be false: it is not modelled.");
}

void read_starcoder2(ConfigReader& read, ModelShape& s) {
    s.activation = Activation::gelu_tanh;
    read.activation("hidden_act", s.activation);
    s.tied_head = s.qkv_bias = true;
    read.boolean("use_bias", s.qkv_bias);
    s.output_bias = s.ffn_bias = s.qkv_bias;
    read.number("residual_dropout", s.hidden_dropout, "hidden_dropout");
    read.refuse("embedding_dropout", "must be 0: it is not modelled.");
}

// Biases of its own for what attention returns.
void read_seed_oss(ConfigReader& read, ModelShape& s) {
    s.qkv_bias = true;
    s.output_bias = false;
    s.hidden_dropout = s.attention_dropout = 0.1;
    read.boolean("attention_bias", s.qkv_bias);
    read.boolean("attention_out_bias", s.output_bias);
    read.number("residual_dropout", s.hidden_dropout, "hidden_dropout");
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
}

void read_window(ConfigReader& read, Family family, ModelShape& s) {
    const bool gemma = family == Family::gemma2 || family == Family::gemma3;
    const bool alternates = gemma || family == Family::olmo3 || family == Family::exaone4;
    if (alternates) s.window = 4096;
    if (read.json().contains("sliding_window") && !read.has("sliding_window")) s.window = 0;
    if (alternates || !read.has("use_sliding_window")) {
        read.integer("sliding_window", s.window);
    } else {
        read.refuse("use_sliding_window",
                    "must be false: for this type, windows in only some layers are not modelled.");
    }
    if (!alternates || s.window == 0) return;
    s.full_every = family == Family::gemma2 ? 2 : family == Family::gemma3 ? 6 : 4;
    // EXAONE writes one letter for each layer of the pattern.
    const auto pattern = read.json().value("sliding_window_pattern", json());
    if (pattern.is_string())
        s.full_every = static_cast<int>(pattern.get<std::string>().size());
    else
        read.integer("sliding_window_pattern", s.full_every);
    if (s.full_every < 1) return read.note("sliding_window_pattern", "must be at least 1.");
    s.full_at = s.full_every - 1;
    read_layer_types(read, s);
}

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

void read_experts(ConfigReader& read, Family family, ModelShape& s) {
    // transformers 5 writes the first of these for all of them.
    const bool local = family == Family::mixtral || read.has("num_local_experts");
    read.required(local ? "num_local_experts" : "num_experts", s.experts, "experts");
    read.required("num_experts_per_tok", s.experts_per_row, "experts_per_row");
    read.boolean("output_router_logits", s.router_loss);
    if (family == Family::mixtral) {
        s.expert_hidden = s.ffn;
        read.refuse("router_jitter_noise", "must be 0: noise is not modelled.");
        return;
    }
    read.required("moe_intermediate_size", s.expert_hidden, "expert_hidden");
    if (family == Family::qwen2_moe)
        read.required("shared_expert_intermediate_size", s.shared_expert_hidden,
                      "shared_expert_hidden");
    s.normalised_routing = false;
    read.boolean("norm_topk_prob", s.normalised_routing);
    read.refuse("mlp_only_layers", "must be empty: layers without experts are not modelled.");
    int step = 1;
    read.integer("decoder_sparse_step", step);
    if (step != 1)
        read.note("decoder_sparse_step", "must be 1: layers without experts are not modelled.");
}

// Keys by which a file says that its model is not the usual one of its type.
void refuse_experts(ConfigReader& read) {
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts",
                            "num_experts_per_tok", "moe_intermediate_size"})
        read.refuse(key, "says that the model has experts, but its \"model_type\" has none.");
}

// SmolLM3 lists the layers with rotary positions by a 1, or says how often one has none.
void read_unturned(ConfigReader& read, ModelShape& s) {
    s.unturned_every = 4;
    read.integer("no_rope_layer_interval", s.unturned_every);
    if (!read.has("no_rope_layers")) return;
    const auto& layers = read.json().at("no_rope_layers");
    const auto turned = [&](int i) { return s.has_rotary(i) ? 1 : 0; };
    bool alike = layers.is_array() && layers.size() == static_cast<std::size_t>(s.layers);
    for (int i = 0; alike && i < s.layers; ++i)
        alike = layers[static_cast<std::size_t>(i)] == turned(i);
    if (!alike) read.note("no_rope_layers", "must follow no_rope_layer_interval.");
}

void read_rms_norm(ConfigReader& read, const std::string& type, ModelShape& s) {
    const Family family = s.family;
    s.activation = Activation::silu;
    if (family == Family::qwen3) s.head_dim = 128;
    read_common(read, s);
    s.qkv_bias = type == "qwen2" || family == Family::qwen2_moe;
    if (decoder_traits(family).unit_norms) read_gemma(read, family, s);
    read.integer("num_key_value_heads", s.kv_heads, "kv_heads");
    read.integer("head_dim", s.head_dim, "head_dim");
    if (family == Family::qwen2_moe) read.boolean("qkv_bias", s.qkv_bias);
    if (type == "seed_oss") read_seed_oss(read, s);
    if (family == Family::starcoder2) read_starcoder2(read, s);
    const bool newer = family == Family::granite || family == Family::olmo2 ||
                       family == Family::olmo3 || type == "smollm3";
    const bool has_biases = type == "llama" || newer || family == Family::qwen3 ||
                            family == Family::qwen3_moe || decoder_traits(family).unit_norms;
    if (has_biases) {
        read.boolean("attention_bias", s.qkv_bias);
        s.output_bias = s.qkv_bias;
    }
    if (type == "llama" || type == "smollm3" || type == "granite" || type == "seed_oss")
        read.boolean("mlp_bias", s.ffn_bias);
    else
        read.refuse("mlp_bias", "is not supported for models of type \"" + type + "\".");
    if (family == Family::phi3) {
        read.number("resid_pdrop", s.hidden_dropout, "hidden_dropout");
        read_rotary_share(read, "partial_rotary_factor", s);
    }
    if (s.has_experts())
        read_experts(read, family, s);
    else
        refuse_experts(read);
    if (type == "smollm3") read_unturned(read, s);
    read_window(read, family, s);
}

}  // namespace

void read_decoder_config(ConfigReader& read, const std::string& type, ModelShape& s) {
    read.required("vocab_size", s.vocab, "vocab");
    if (type == "gpt2") {
        s.family = Family::gpt2;
        read_gpt2(read, s);
    } else if (type == "gpt_neox") {
        s.family = Family::gpt_neox;
        read_gpt_neox(read, s);
    } else if (type == "opt") {
        s.family = Family::opt;
        read_opt(read, s);
    } else {
        s.family = rms_norm_types().at(type);
        read_rms_norm(read, type, s);
    }
    read.boolean("tie_word_embeddings", s.tied_head);
}

}  // namespace plimsoll::training
