#include "engine/training/tape/layers.hpp"

namespace plimsoll::training {
namespace {

struct Block {
    Linear query, key, value, attention_out, gate, up, down;
    int first = 0, second = 0;
};

Block read_block(Graph& g, const ModelShape& s, ParameterCursor& p) {
    Block b;
    b.query = read_linear(p, g, s.hidden, s.q_width(), s.qkv_bias);
    b.key = read_linear(p, g, s.hidden, s.kv_width(), s.qkv_bias);
    b.value = read_linear(p, g, s.hidden, s.kv_width(), s.qkv_bias);
    b.attention_out = read_linear(p, g, s.q_width(), s.hidden, false);
    b.gate = read_linear(p, g, s.hidden, s.ffn, false);
    b.up = read_linear(p, g, s.hidden, s.ffn, false);
    b.down = read_linear(p, g, s.ffn, s.hidden, false);
    b.first = p.next();
    b.second = p.next();
    return b;
}

// q * cos + rotate_half(q) * sin, with cos and sin shared by batch and heads. The tables are not
// parameters and need no gradient.
Var rotate(Graph& g, const Var& x, const Var& cosine, const Var& sine) {
    constexpr auto group = Group::attention;
    const Var straight = multiply(g, x, cosine, group);
    Var turned;
    {
        const Var halves = rotate_half(g, x, group);
        turned = multiply(g, halves, sine, group);
    }
    return add(g, straight, turned, group);
}

struct Tables {
    Var cosine, sine;
};

// cos and sin of position * frequency, computed in fp32 and converted; one table for the whole
// batch. Its small matrix product is the step's first and so the one that cuBLAS starts with.
Tables rotary_tables(Graph& g, std::int64_t sequence, std::int64_t head_dim, Dtype dtype) {
    constexpr auto group = Group::embedding;
    const Var positions = g.make(sequence, Dtype::fp32, group);
    const Var angles = g.make(sequence * head_dim / 2, Dtype::fp32, group);
    g.matmul(static_cast<double>(sequence * head_dim), false);
    const Var doubled = g.make(sequence * head_dim, Dtype::fp32, group);
    const auto table = [&] {
        const Var raw = g.make(sequence * head_dim, Dtype::fp32, group);
        return g.make(sequence * head_dim, Dtype::fp32, group);  // times the attention scaling
    };
    const Var cosine = table();
    const Var sine = table();
    return {to(g, cosine, dtype, group), to(g, sine, dtype, group)};
}

Var run_block(Graph& g, const Block& b, const Var& x, const Tables& rope, const Var& bias,
              AttentionShape shape, std::int64_t width) {
    constexpr auto attention = Group::attention;
    constexpr auto ffn = Group::feed_forward;
    Var weights;
    Var y;
    {
        const Var normed = rms_norm(g, x, b.first, width);
        // Gradients arrive in the order of heads and are copied back to rows.
        Var q = reordered(g, linear(g, normed, b.query, attention));
        Var k = reordered(g, linear(g, normed, b.key, attention));
        Var v = linear(g, normed, b.value, attention);
        // PyTorch groups heads itself; with a mask transformers repeats them beforehand.
        const bool repeats = g.settings().attention == Attention::sdpa && shape.mask;
        const std::int64_t times = repeats ? shape.heads / shape.kv_heads : 1;
        if (repeats) shape.kv_heads = shape.heads;
        const bool plain =
            g.settings().attention == Attention::sdpa &&
            choose_sdpa(g.settings(), g.device(), v.dtype(), shape) == SdpaKernel::math;
        if (plain) v = reordered(g, v);
        {
            Var turned_q = rotate(g, q, rope.cosine, rope.sine);
            Var turned_k = rotate(g, k, rope.cosine, rope.sine);
            q = std::move(turned_q);
            k = std::move(turned_k);
        }
        k = repeat_heads(g, k, times);
        v = repeat_heads(g, v, times);
        // Autocast converts the arguments from the right.
        k = to(g, k, v.dtype(), attention);
        q = to(g, q, v.dtype(), attention);
        y = attend(g, q, k, v, bias, shape, Probabilities::fp32_softmax, weights);
        y = linear(g, y, b.attention_out, attention);
    }
    y = add(g, x, y, attention);
    const Var residual = y;
    y = rms_norm(g, y, b.second, width);
    {
        const Var gate = silu(g, linear(g, y, b.gate, ffn), ffn);
        const Var up = linear(g, y, b.up, ffn);
        y = linear(g, multiply(g, gate, up, ffn), b.down, ffn);
    }
    return add(g, residual, y, ffn);
}

// From ids to the last norm. Embeddings, tables and masks live until its end.
Var hidden_states(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& ids) {
    const std::int64_t rows = ids.elements();
    const std::int64_t sequence = g.settings().sequence;
    const Var embeddings = embedding(g, p.next(), rows, s.hidden, {}, true);
    const Var position_ids = g.make(sequence, Dtype::int64, Group::embedding);
    AttentionShape shape{.batch = rows / sequence,
                         .heads = s.heads,
                         .kv_heads = s.kv_heads,
                         .queries = sequence,
                         .keys = sequence,
                         .head_dim = s.head_dim,
                         .dropout = s.attention_dropout,
                         .causal = true,
                         .mask = g.settings().padded};
    const Var mask = causal_mask(g, shape, embeddings.dtype());
    const Var bias = g.settings().attention == Attention::eager ? mask : Var();
    const Tables rope = rotary_tables(g, sequence, s.head_dim, embeddings.dtype());
    Var x = embeddings;
    for (int i = 0; i < s.layers; ++i) {
        const Block block = read_block(g, s, p);
        x = run_layer(
            g, i, std::move(x),
            [&g, block, rope, bias, shape, position_ids, width = s.hidden](const Var& in) {
                return run_block(g, block, in, rope, bias, shape, width);
            });
    }
    return rms_norm(g, x, p.next(), s.hidden);
}

}  // namespace

Outputs llama_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    const Var x = hidden_states(g, s, p, batch.ids);
    return decoder_head(g, s, p, x, batch);
}

}  // namespace plimsoll::training
