#include "engine/base/json.hpp"
#include "engine/training/models/config_reader.hpp"
namespace plimsoll::training {
namespace {

// A family, and how the type differs from it where it is none of its own.
struct Kind {
    Family family;
    std::optional<DecoderTraits> traits = {};
};
// Qwen3.5 and Qwen3-Next.
DecoderTraits delta_traits(bool experts, bool packed) {
    return {.head_norms = true,
            .unit_norms = true,
            .gated_attention = true,
            .delta = true,
            .packed_delta = packed,
            .gated_shared = experts,
            .rotary = Rotary::part};
}

const std::map<std::string, Kind>& rms_norm_types() {
    constexpr DecoderTraits kLatent{
        .latent = true, .experts_first = true, .rotary = Rotary::apart, .router = Router::sigmoid};
    static const std::map<std::string, Kind> all{
        {"llama", {Family::llama}},
        {"mistral", {Family::llama}},
        {"qwen2", {Family::llama}},
        {"qwen3", {Family::qwen3}},
        {"gemma", {Family::gemma}},
        {"gemma2", {Family::gemma2}},
        {"gemma3_text", {Family::gemma3}},
        {"gemma4_text",
         {Family::gemma3,
          {{.head_norms = true,
            .power_norms = true,
            .scaled_words = true,
            .outer_norms = true,
            .two_rotaries = true}}}},
        {"phi3", {Family::phi3}},
        {"mixtral", {Family::mixtral}},
        {"qwen2_moe", {Family::qwen2_moe}},
        {"qwen3_moe", {Family::qwen3_moe}},
        {"smollm3", {Family::llama}},
        {"granite", {Family::granite}},
        {"olmo2", {Family::olmo2}},
        {"olmo3", {Family::olmo3}},
        {"exaone4", {Family::exaone4}},
        {"seed_oss", {Family::llama}},
        {"starcoder2", {Family::starcoder2}},
        {"glm", {Family::llama, {{.packed_ffn = true, .rotary = Rotary::paired}}}},
        {"glm4",
         {Family::llama, {{.outer_norms = true, .packed_ffn = true, .rotary = Rotary::paired}}}},
        {"glm4_moe",
         {Family::mixtral,
          {{.experts_first = true, .rotary = Rotary::part, .router = Router::sigmoid}}}},
        {"ministral3", {Family::llama, {{.scaled_queries = true}}}},
        {"deepseek_v2",
         {Family::mixtral,
          {{.latent = true,
            .experts_first = true,
            .rotary = Rotary::complex,
            .router = Router::scaled}}}},
        {"deepseek_v3", {Family::mixtral, kLatent}},
        {"kimi_k2", {Family::mixtral, kLatent}},
        {"gpt_oss",
         {Family::mixtral,
          {{.wide_norms = true,
            .sinks = true,
            .biased_experts = true,
            .rotary = Rotary::chunks,
            .router = Router::chosen}}}},
        {"llama4_text",
         {Family::mixtral,
          {{.scaled_queries = true,
            .unit_queries = true,
            .even_experts = true,
            .experts_first = true,
            .rotary = Rotary::complex}}}},
        {"granitemoe", {Family::mixtral, {{.multiplied = true, .router = Router::chosen}}}},
        {"olmoe", {Family::mixtral, {{.row_norms = true}}}},
        {"lfm2", {Family::llama, {{.head_norms = true, .short_convolution = true}}}},
        {"lfm2_moe",
         {Family::mixtral,
          {{.head_norms = true,
            .short_convolution = true,
            .experts_first = true,
            .router = Router::corrected}}}},
        {"qwen3_5_text", {Family::llama, delta_traits(false, false)}},
        {"qwen3_5_moe_text", {Family::qwen2_moe, delta_traits(true, false)}},
        {"qwen3_next", {Family::qwen2_moe, delta_traits(true, true)}},
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
    s.activation = Activation::relu, s.attention_dropout = 0;
    read.activation("activation_function", s.activation);
    read.number("dropout", s.hidden_dropout, "hidden_dropout");
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
    read.boolean("enable_bias", s.qkv_bias);
    s.output_bias = s.ffn_bias = s.qkv_bias;
    int width = s.hidden;
    read.integer("word_embed_proj_dim", width);
    if (width != s.hidden)
        read.note("word_embed_proj_dim", "must be hidden_size: another width is not modelled.");
    if (read.json().value("do_layer_norm_before", json(true)) != true)
        read.note("do_layer_norm_before", "must be true: norms behind are not modelled.");
    read.refuse("layerdrop", "must be 0: layers that are left out are not modelled.");
    read.refuse("_remove_final_layer_norm", "must be false: it is not modelled.");
}

// Older files of BLOOM name the sizes otherwise.
void read_bloom(ConfigReader& read, ModelShape& s) {
    s.own_traits = DecoderTraits{.layer_norms = true, .plain = true, .alibi = true};
    read.required(read.has("n_layer") ? "n_layer" : "num_hidden_layers", s.layers, "layers");
    read.required(read.has("n_embed") ? "n_embed" : "hidden_size", s.hidden, "hidden");
    read.required(read.has("n_head") ? "n_head" : "num_attention_heads", s.heads, "heads");
    s.ffn = 4 * s.hidden;
    s.activation = Activation::gelu_tanh;
    s.hidden_dropout = s.attention_dropout = 0;
    read.number("hidden_dropout", s.hidden_dropout, "hidden_dropout");
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
    read.refuse("apply_residual_connection_post_layernorm", "must be false: it is not modelled.");
    read.refuse("slow_but_exact", "must be false: products in slices are not modelled.");
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

void read_window(ConfigReader& read, const std::string& type, ModelShape& s) {
    if (type.starts_with("qwen")) return read_later_windows(read, s);
    const Family family = s.family;
    const bool gemma =
        family == Family::gemma2 || family == Family::gemma3 || s.traits().power_norms;
    const bool sinks = s.traits().sinks;
    const bool alternates = gemma || family == Family::olmo3 || family == Family::exaone4 || sinks;
    if (alternates) s.window = sinks ? 128 : s.traits().power_norms ? 512 : 4096;
    if (read.json().contains("sliding_window") && !read.has("sliding_window")) s.window = 0;
    read.integer("sliding_window", s.window);
    if (!alternates || s.window == 0) return;
    s.full_every = family == Family::gemma2 || sinks ? 2 : gemma ? 6 : 4;
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

// DeepSeek's layers and those that were made after it.
void read_routed_experts(ConfigReader& read, ModelShape& s) {
    const char* key = read.has("n_routed_experts") ? "n_routed_experts"
                      : read.has("num_experts")    ? "num_experts"
                                                   : "num_local_experts";
    read.required(key, s.experts, "experts");
    read.required("num_experts_per_tok", s.experts_per_row, "experts_per_row");
    read.required("moe_intermediate_size", s.expert_hidden, "expert_hidden");
    int shared = 0;
    read.integer("n_shared_experts", shared);
    s.shared_expert_hidden = shared * s.expert_hidden;
    read.integer("first_k_dense_replace", s.dense_layers, "dense_layers");
    read.integer("num_dense_layers", s.dense_layers, "dense_layers");
    // DeepSeek-V2's class does not read it.
    s.normalised_routing = s.traits().router != Router::scaled;
    if (s.normalised_routing) read.boolean("norm_topk_prob", s.normalised_routing);
    int step = 1;
    read.integer("moe_layer_freq", step);
    if (step != 1)
        read.note("moe_layer_freq", "must be 1: layers without experts are not modelled.");
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

// One expert that every token uses, and in some models layers without others between.
void read_llama4(ConfigReader& read, ModelShape& s) {
    read.required("num_local_experts", s.experts, "experts");
    read.required("num_experts_per_tok", s.experts_per_row, "experts_per_row");
    s.expert_hidden = s.shared_expert_hidden = s.ffn;
    read.required("intermediate_size_mlp", s.ffn, "ffn");
    read.integer("interleave_moe_layer_step", s.experts_every, "experts_every");
    read.boolean("use_qk_norm", s.own_traits->unit_queries);
    read.boolean("attn_temperature_tuning", s.own_traits->scaled_queries);
    read_unturned(read, s);
    // Layers with rotary positions see chunks, which are windows here.
    s.window = 8192;
    read.integer("attention_chunk_size", s.window, "window");
    s.full_every = s.unturned_every;
    s.full_at = s.full_every - 1;
}

void read_experts(ConfigReader& read, Family family, ModelShape& s) {
    if (s.traits().beside) return;
    if (s.traits().even_experts) return read_llama4(read, s);
    const auto router = s.traits().router;
    if (s.traits().latent || router == Router::sigmoid || router == Router::corrected)
        return read_routed_experts(read, s);
    // transformers 5 writes the first of these for all of them.
    const bool local = family == Family::mixtral || read.has("num_local_experts");
    const bool olmo = s.traits().row_norms;
    read.required(local && !olmo ? "num_local_experts" : "num_experts", s.experts, "experts");
    read.required("num_experts_per_tok", s.experts_per_row, "experts_per_row");
    read.boolean("output_router_logits", s.router_loss);
    if (family == Family::mixtral) {
        s.expert_hidden = s.ffn;
        if (olmo) s.normalised_routing = false;
        if (olmo) read.boolean("norm_topk_prob", s.normalised_routing);
        read.refuse("router_jitter_noise", "must be 0: noise is not modelled.");
        read.refuse("clip_qkv", "must be null: it is not modelled.");
        return;
    }
    read.required("moe_intermediate_size", s.expert_hidden, "expert_hidden");
    if (family == Family::qwen2_moe)
        read.required("shared_expert_intermediate_size", s.shared_expert_hidden,
                      "shared_expert_hidden");
    s.normalised_routing = s.traits().delta;
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

void read_rms_norm(ConfigReader& read, const std::string& type, ModelShape& s) {
    const Family family = s.family;
    s.activation = Activation::silu;
    if (family == Family::qwen3) s.head_dim = 128;
    read_common(read, s);
    // The classes of GLM and GPT-OSS have biases where nothing is said.
    s.qkv_bias = type == "qwen2" || type == "qwen2_moe" || type == "glm" || type == "glm4" ||
                 s.traits().sinks;
    if (s.traits().power_norms)
        read_gemma4(read, s);
    else if (s.traits().scaled_words)
        read_gemma(read, family, s);
    if (s.traits().delta) read_linear_attention(read, s);
    if (s.traits().short_convolution) read_short_convolutions(read, type, s);
    // Its class rounds down.
    if (type == "glm4_moe" && s.heads > 0) s.head_dim = s.hidden / s.heads;
    read.integer("num_key_value_heads", s.kv_heads, "kv_heads");
    read.integer("head_dim", s.head_dim, "head_dim");
    if (type == "qwen2_moe") read.boolean("qkv_bias", s.qkv_bias);
    if (type == "seed_oss") read_seed_oss(read, s);
    if (family == Family::starcoder2) read_starcoder2(read, s);
    const bool newer = family == Family::granite || family == Family::olmo2 ||
                       family == Family::olmo3 || type == "smollm3" || s.own_traits;
    const bool has_biases = type == "llama" || newer || family == Family::qwen3 ||
                            family == Family::qwen3_moe || s.traits().scaled_words;
    if (has_biases) {
        read.boolean("attention_bias", s.qkv_bias);
        const bool glm = type.starts_with("glm");
        s.output_bias = s.qkv_bias && !glm;
        if (glm) s.rotary_share = 0.5;
        if (glm || s.traits().delta) read_rotary_share(read, "partial_rotary_factor", s);
        if (type == "glm4_moe") read.boolean("use_qk_norm", s.own_traits->head_norms);
    }
    if (s.traits().latent) read_latents(read, s);
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
    if (!s.traits().even_experts) read_window(read, type, s);
}

}  // namespace

void read_decoder_config(ConfigReader& read, const std::string& type, ModelShape& s) {
    read.required("vocab_size", s.vocab, "vocab");
    using Read = void (*)(ConfigReader&, ModelShape&);
    static const std::map<std::string, std::pair<Family, Read>> others{
        {"gpt2", {Family::gpt2, read_gpt2}},
        {"bloom", {Family::gpt2, read_bloom}},
        {"gpt_neox", {Family::gpt_neox, read_gpt_neox}},
        {"opt", {Family::opt, read_opt}}};
    if (const auto other = others.find(type); other != others.end()) {
        s.family = other->second.first;
        other->second.second(read, s);
    } else {
        const auto& kind = rms_norm_types().at(type);
        s.family = kind.family;
        s.own_traits = kind.traits;
        read_rms_norm(read, type, s);
    }
    read.boolean("tie_word_embeddings", s.tied_head);
}

}  // namespace plimsoll::training
