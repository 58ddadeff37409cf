#include "engine/base/json.hpp"
#include "engine/training/models/config_reader.hpp"

#include <algorithm>
#include <cmath>

// Attention that is made otherwise than from rows of q, k and v, or of some layers alone.

namespace plimsoll::training {

void read_latents(ConfigReader& read, ModelShape& s) {
    int turned = 64, others = 128;
    s.kv_rank = 512;
    s.value_dim = 128;
    read.integer("qk_rope_head_dim", turned);
    read.integer("qk_nope_head_dim", others);
    read.integer("v_head_dim", s.value_dim, "value_dim");
    read.integer("kv_lora_rank", s.kv_rank, "kv_rank");
    read.integer("q_lora_rank", s.query_rank, "query_rank");
    s.head_dim = turned + others;
    s.kv_heads = s.heads;
    s.rotary_share = (turned + 0.5) / s.head_dim;  // the half outweighs a rounding error
    read.boolean("attention_bias", s.qkv_bias);
    s.output_bias = s.qkv_bias;
    if (s.traits().rotary == Rotary::apart)
        if (read.json().value("rope_interleave", json(true)) != true)
            read.note("rope_interleave", "must be true: the other order is not modelled.");
}

void read_linear_attention(ConfigReader& read, ModelShape& s) {
    s.head_dim = 256;
    s.rotary_share = 0.25;
    auto& l = s.linear = {16, 32, 128, 128, 4};
    for (const auto& [key, number] : {std::pair{"linear_num_key_heads", &l.keys},
                                      {"linear_num_value_heads", &l.values},
                                      {"linear_key_head_dim", &l.key_dim},
                                      {"linear_value_head_dim", &l.value_dim},
                                      {"linear_conv_kernel_dim", &l.kernel}}) {
        read.integer(key, *number);
        if (*number < 1 || *number > 4096) read.note(key, "must be between 1 and 4096.");
    }
    if (l.keys > 0 && l.values % l.keys != 0)
        read.note("linear_num_value_heads", "must be a multiple of linear_num_key_heads.");
    s.full_every = 4;
    read.integer("full_attention_interval", s.full_every);
    if (s.full_every < 1) return read.note("full_attention_interval", "must be at least 1.");
    s.full_at = s.full_every - 1;
    read_layer_types(read, s);
    s.noted =
        "linear attention by the package flash-linear-attention, after PyTorch's convolution; "
        "without it, transformers' own code keeps about twice as much for such a layer; with "
        "causal-conv1d, less is kept; on Hopper its version 0.6 needs Triton 3.7.1 or tilelang, "
        "which PyTorch 2.11 does not bring";
}

void read_short_convolutions(ConfigReader& read, const std::string& type, ModelShape& s) {
    s.tied_head = true;
    read.boolean("tie_embedding", s.tied_head);
    s.linear.kernel = 3;
    read.integer("conv_L_cache", s.linear.kernel);
    if (s.linear.kernel < 1 || s.linear.kernel > 4096)
        return read.note("conv_L_cache", "must be between 1 and 4096.");
    read.refuse("conv_bias", "must be false: biases of convolutions are not modelled.");
    if (type == "lfm2") {
        read.integer("block_ff_dim", s.ffn, "ffn");
        bool adjusts = true;
        double times = 1;
        int multiple = 256;
        read.boolean("block_auto_adjust_ff_dim", adjusts);
        read.number("block_ffn_dim_multiplier", times);
        read.integer("block_multiple_of", multiple);
        if (multiple < 1) return read.note("block_multiple_of", "must be at least 1.");
        if (!(times > 0 && times < 1e3))
            return read.note("block_ffn_dim_multiplier", "must be above 0 and below 1000.");
        if (adjusts) {
            const auto wide = static_cast<std::int64_t>(times * std::floor(2.0 * s.ffn / 3));
            s.ffn = static_cast<int>((wide + multiple - 1) / multiple * multiple);
        }
        std::vector<bool> full(static_cast<std::size_t>(std::clamp(s.layers, 0, 1000)), true);
        if (const auto listed = read.json().find("full_attn_idxs");
            listed != read.json().end() && listed->is_array()) {
            full.assign(full.size(), false);
            for (const auto& index : *listed)
                if (index.is_number_unsigned() && index.get<std::size_t>() < full.size())
                    full[index.get<std::size_t>()] = true;
        }
        set_full_layers(s, std::move(full));
    }
    read_layer_types(read, s);
}

void read_later_windows(ConfigReader& read, ModelShape& s) {
    bool used = false;
    read.boolean("use_sliding_window", used);
    const bool unlimited = read.json().contains("sliding_window") && !read.has("sliding_window");
    int window = 4096, first = 28;
    read.integer("sliding_window", window);
    read.integer("max_window_layers", first);
    if (!used || unlimited || first >= s.layers) return;
    read.note("use_sliding_window",
              "must be false: from layer " + std::to_string(first) + " on, tokens would see only " +
                  std::to_string(window) +
                  " before them. That changes nothing for shorter sequences; for longer ones, a "
                  "mask of batch x length x length and attention that takes it are not modelled "
                  "for some layers of this type.");
}

}  // namespace plimsoll::training
