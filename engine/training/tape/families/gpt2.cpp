#include "engine/training/tape/families/layers.hpp"

namespace plimsoll::training {
namespace {

// GPT-2 and, without a table of positions, BLOOM.

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

// BLOOM's: numbers by distance are added in the product, which keeps them out of autograd. Python's
// names hold all of it until the residual has been added.
Var attention_by_distance(Graph& g, const ModelShape& s, const Block& b, const Var& x,
                          const Var& residual, const Var& mask, const AttentionShape& shape) {
    constexpr auto group = Group::attention;
    constexpr auto scores = Group::attention_scores;
    const std::int64_t pairs = shape.batch * shape.heads;
    const Var all = linear(g, x, b.qkv, group);
    // Heads of a single text lie as the product takes them.
    const auto rows = [&] {
        const Var part = slice(g, all, x.elements());
        return shape.batch == 1 ? part : copy(g, part, false, group);
    };
    const Var q = rows(), k = rows(), v = rows();
    const Var raw = bmm(g, q, k, pairs, shape.queries, shape.head_dim, shape.keys, scores);
    const Var masked = add(g, raw, mask, scores);
    Var chances = softmax(g, to(g, masked, Dtype::fp32, scores), scores);
    chances = to(g, chances, q.dtype(), scores);
    chances = dropout(g, chances, s.attention_dropout, scores);
    const Var context = bmm(g, chances, v, pairs, shape.queries, shape.keys, shape.head_dim, group);
    Var y = linear(g, copy(g, context, true, group), b.attention_out, group);
    y = dropout(g, y, s.hidden_dropout, group);
    return add(g, residual, y, group);
}

Var run_bloom_block(Graph& g, const ModelShape& s, const Block& b, const Var& x, const Var& mask,
                    const AttentionShape& shape) {
    constexpr auto ffn = Group::feed_forward;
    Var normed = layer_norm(g, x, b.first);
    const Var attended = attention_by_distance(g, s, b, normed, x, mask, shape);
    normed = layer_norm(g, attended, b.second);
    Var wide = linear(g, normed, b.up, ffn);
    wide = composed_gelu(g, wide, ffn);
    const Var narrow = linear(g, wide, b.down, ffn);
    return add(g, attended, dropout(g, narrow, s.hidden_dropout, ffn), ffn);
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
        cache(g, k, v);
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

Var bloom_states(Graph& g, const ModelShape& s, ParameterCursor& p, std::int64_t rows) {
    const Var words = embedding(g, p.table(), rows, s.hidden, {}, true);
    Var x = layer_norm(g, words, read_norm(p, s.hidden), Group::embedding);
    const AttentionShape shape = self_attention(g, s, rows, true);
    const Var distances = g.make(rows * s.heads, words.dtype(), Group::attention_scores);
    const Var mask = causal_mask(g, shape, words.dtype(), true);
    for (int i = 0; i < s.layers; ++i) {
        const Block block = read_block(g, s, p);
        x = run_layer(g, i, std::move(x), [&g, &s, block, mask, distances, shape](const Var& in) {
            return run_bloom_block(g, s, block, in, mask, shape);
        });
    }
    return layer_norm(g, x, read_norm(p, s.hidden));
}

// From ids to the last norm. Embeddings and mask live until its end.
Var hidden_states(Graph& g, const ModelShape& s, ParameterCursor& p, const Batch& batch) {
    const std::int64_t rows = batch.ids.elements();
    // generate() counts the positions of every text.
    const std::int64_t placed = batch.generates ? rows : g.settings().row_length();
    if (s.traits().alibi) return bloom_states(g, s, p, rows);
    const int words = p.table();
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
