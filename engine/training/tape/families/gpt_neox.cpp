#include "engine/training/tape/families/layers.hpp"
#include "engine/training/tape/operations/rotary.hpp"

namespace plimsoll::training {
namespace {

struct Block {
    Norm first, second;
    Linear qkv, attention_out, up, down;
};

Block read_block(Graph& g, const ModelShape& s, ParameterCursor& p) {
    Block b;
    b.first = read_norm(p, s.hidden);
    b.second = read_norm(p, s.hidden);
    b.qkv = read_linear(p, g, s.hidden, 3LL * s.hidden, s.qkv_bias);
    b.attention_out = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
    b.up = read_linear(p, g, s.hidden, s.ffn, true);
    b.down = read_linear(p, g, s.ffn, s.hidden, true);
    return b;
}

Var attention(Graph& g, const ModelShape& s, const Block& b, const Var& x, const RotaryTables& rope,
              const Var& bias, const AttentionShape& shape) {
    constexpr auto group = Group::attention;
    Var weights;
    auto [q, k, v] = split3(g, reordered(g, linear(g, x, b.qkv, group)));
    {
        Var turned_q = rotate_part(g, q, rope, s.head_dim);
        Var turned_k = rotate_part(g, k, rope, s.head_dim);
        q = std::move(turned_q);
        k = std::move(turned_k);
    }
    cache(g, k, v);
    Var y = attend(g, q, k, v, bias, shape, Probabilities::fp32_softmax, weights);
    y = linear(g, y, b.attention_out, group);
    return dropout(g, y, s.hidden_dropout, group);
}

Var feed_forward(Graph& g, const ModelShape& s, const Block& b, const Var& x) {
    constexpr auto group = Group::feed_forward;
    Var y = layer_norm(g, x, b.second);
    y = linear(g, y, b.up, group);
    y = activate(g, y, s.activation, group);
    y = linear(g, y, b.down, group);
    return dropout(g, y, s.hidden_dropout, group);
}

Var run_block(Graph& g, const ModelShape& s, const Block& b, const Var& x, const RotaryTables& rope,
              const Var& bias, const AttentionShape& shape) {
    constexpr auto ffn = Group::feed_forward;
    Var attended = attention(g, s, b, layer_norm(g, x, b.first), rope, bias, shape);
    if (s.parallel_blocks) {
        const Var y = feed_forward(g, s, b, x);
        return add(g, add(g, y, attended, ffn), x, ffn);
    }
    attended = add(g, attended, x, Group::attention);
    return add(g, feed_forward(g, s, b, attended), attended, ffn);
}

// From ids to the last norm. Embeddings, tables and masks live until its end.
Var hidden_states(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& ids) {
    const std::int64_t rows = ids.elements();
    const std::int64_t sequence = g.settings().row_length();
    const Var embeddings = embedding(g, p.table(), rows, s.hidden, {}, true);
    const Var position_ids = make_positions(g, Group::embedding);
    AttentionShape shape = self_attention(g, s, rows, true);
    shape.by_heads = true;
    const Var mask =
        causal_mask(g, shape, embeddings.dtype(), g.settings().attention == Attention::eager);
    const Var bias = g.settings().attention == Attention::eager ? mask : Var();
    Var x = dropout(g, embeddings, s.hidden_dropout, Group::embedding);
    const auto rope = rotary_tables(g, sequence, s.rotary_width(), x.dtype());
    for (int i = 0; i < s.layers; ++i) {
        const Block block = read_block(g, s, p);
        x = run_layer(g, i, std::move(x),
                      [&g, &s, block, rope, bias, shape, position_ids](const Var& in) {
                          return run_block(g, s, block, in, rope, bias, shape);
                      });
    }
    return layer_norm(g, x, read_norm(p, s.hidden));
}

}  // namespace

Outputs gpt_neox_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    const Var x = hidden_states(g, s, p, batch.ids);
    return decoder_head(g, s, p, x, batch);
}

}  // namespace plimsoll::training
