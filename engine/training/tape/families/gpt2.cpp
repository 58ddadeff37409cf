#include "engine/training/tape/families/layers.hpp"

namespace plimsoll::training {
namespace {

struct Block {
    Norm first, second;
    Linear qkv, attention_out, up, down;
};

Block read_block(Graph& g, const ModelShape& s, ParameterCursor& p) {
    Block b;
    b.first = read_norm(p, s.hidden);
    b.qkv = read_linear(p, g, s.hidden, 3LL * s.hidden, true);
    b.attention_out = read_linear(p, g, s.hidden, s.hidden, true);
    b.second = read_norm(p, s.hidden);
    b.up = read_linear(p, g, s.hidden, s.ffn, true);
    b.down = read_linear(p, g, s.ffn, s.hidden, true);
    return b;
}

Var run_block(Graph& g, const ModelShape& s, const Block& b, const Var& x, const Var& bias,
              const AttentionShape& shape) {
    constexpr auto attention = Group::attention;
    constexpr auto ffn = Group::feed_forward;
    Var y = layer_norm(g, x, b.first);
    Var attended, weights;
    {
        auto [q, k, v] = split3(g, linear(g, y, b.qkv, attention, true));
        if (g.settings().attention == Attention::eager) {  // gradients come back by heads
            q = reordered(g, q);
            v = reordered(g, v);
        }
        attended = attend(g, q, k, v, bias, shape, Probabilities::before_dropout, weights);
        attended = linear(g, attended, b.attention_out, attention, true);
        attended = dropout(g, attended, s.hidden_dropout, attention);
    }
    y = add(g, attended, x, attention);
    const Var residual = y;
    y = layer_norm(g, y, b.second);
    Var wide;
    {
        wide = linear(g, y, b.up, ffn, true);
        wide = activate(g, wide, s.activation, ffn);
        wide = linear(g, wide, b.down, ffn, true);
        wide = dropout(g, wide, s.hidden_dropout, ffn);
    }
    return add(g, residual, wide, ffn);
}

// From ids to the last norm. Embeddings and mask live until its end.
Var hidden_states(Graph& g, const ModelShape& s, ParameterCursor& p, const Batch& batch) {
    const std::int64_t rows = batch.ids.elements();
    // generate() counts the positions of every text.
    const std::int64_t placed = batch.generates ? rows : g.settings().row_length();
    const int words = p.next();
    const int positions = p.next();
    const Var word_rows = embedding(g, words, rows, s.hidden, {}, true);
    const Var position_ids = make_positions(g, Group::embedding);
    const Var position_rows = embedding(g, positions, placed, s.hidden, position_ids);
    Var x = add(g, word_rows, position_rows, Group::embedding);
    AttentionShape shape = self_attention(g, s, rows, true);
    const Var mask = causal_mask(g, shape, x.dtype(), g.settings().attention == Attention::eager);
    const Var bias = g.settings().attention == Attention::eager ? mask : Var();
    x = dropout(g, x, s.hidden_dropout, Group::embedding);
    for (int i = 0; i < s.layers; ++i) {
        const Block block = read_block(g, s, p);
        x = run_layer(g, i, std::move(x), [&g, s, block, bias, shape](const Var& in) {
            return run_block(g, s, block, in, bias, shape);
        });
    }
    return layer_norm(g, x, read_norm(p, s.hidden));
}

}  // namespace

Outputs gpt2_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    const Var x = hidden_states(g, s, p, batch);
    return decoder_head(g, s, p, x, batch);
}

}  // namespace plimsoll::training
