#include "engine/base/json.hpp"
#include "engine/training/models/config_reader.hpp"

// Attention that is made otherwise than from rows of q, k and v.

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
        "causal-conv1d, less is kept";
}

}  // namespace plimsoll::training
