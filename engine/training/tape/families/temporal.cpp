#include "engine/training/tape/families/layers.hpp"

// torch.nn.Transformer (post-LN, ReLU, batch_first) over numeric series: the encoder sees the past,
// the decoder one learned query a future step. Attention works on transposed tensors, which is why
// its projections copy their input.

namespace plimsoll::training {
namespace {

constexpr auto kAttention = Group::attention;

struct Attend {
    PackedWeight in;
    Linear out;
};

Attend read_attention(ParameterCursor& p, const Graph& g, const ModelShape& s) {
    Attend a;
    a.in.weight = p.next();
    a.in.bias = p.next();
    a.in.width = s.hidden;
    a.out = read_linear(p, g, s.hidden, s.hidden, true);
    return a;
}

AttentionShape shape_of(const Graph& g, const ModelShape& s, std::int64_t queries,
                        std::int64_t keys) {
    return {.batch = g.settings().batch,
            .heads = s.heads,
            .kv_heads = s.heads,
            .queries = queries,
            .keys = keys,
            .head_dim = s.head_dim,
            .dropout = s.attention_dropout,
            .causal = false,
            .mask = false};
}

// Fused kernels other than cuDNN return the dimensions in a different order than the module wants.
Var output_of(Graph& g, const Var& q, const Var& k, const Var& v, const AttentionShape& shape,
              const Linear& out) {
    Var context = sdpa(g, q, k, v, shape);
    if (choose_sdpa(g.settings(), g.device(), q.dtype(), shape) != SdpaKernel::cudnn)
        context = copy(g, context, true, kAttention);
    else
        context = reordered(g, context);
    return linear(g, context, out, kAttention);
}

Var self_attention(Graph& g, const ModelShape& s, const Attend& a, const Var& x) {
    const std::int64_t steps = x.elements() / s.hidden / g.settings().batch;
    Var packed;
    {
        const Var projected = packed_projection(g, x, a.in, 3, {}, {});
        packed = copy(g, projected, true, kAttention);
    }
    const std::int64_t part = packed.elements() / 3;
    const Var q = slice(g, packed, part);
    const Var k = slice(g, packed, part);
    const Var v = slice(g, packed, part);
    packed.reset();
    return output_of(g, q, k, v, shape_of(g, s, steps, steps), a.out);
}

Var cross_attention(Graph& g, const ModelShape& s, const Attend& a, const Var& x,
                    const Var& memory) {
    const std::int64_t queries = x.elements() / s.hidden / g.settings().batch;
    const std::int64_t keys = memory.elements() / s.hidden / g.settings().batch;
    const Edge weight = packed_slices(g, a.in.weight);
    const Edge bias = packed_slices(g, a.in.bias);
    const Var q = packed_projection(g, x, a.in, 1, weight, bias);
    Var packed;
    {
        const Var projected = packed_projection(g, memory, a.in, 2, weight, bias);
        packed = copy(g, projected, true, kAttention);
    }
    const Var k = slice(g, packed, packed.elements() / 2);
    const Var v = slice(g, packed, packed.elements() / 2);
    packed.reset();
    return output_of(g, q, k, v, shape_of(g, s, queries, keys), a.out);
}

Var feed_forward(Graph& g, const ModelShape& s, const Linear& up, const Linear& down,
                 const Var& x) {
    constexpr auto group = Group::feed_forward;
    Var y = relu(g, linear(g, x, up, group), group);
    y = dropout(g, y, s.hidden_dropout, group);
    y = linear(g, y, down, group);
    return dropout(g, y, s.hidden_dropout, group);
}

Var add_and_norm(Graph& g, const Var& x, const Var& y, const Norm& norm) {
    return layer_norm(g, add(g, x, y, kAttention), norm);
}

Var encoder_layer(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& x) {
    const Attend attention = read_attention(p, g, s);
    const Linear up = read_linear(p, g, s.hidden, s.ffn, true);
    const Linear down = read_linear(p, g, s.ffn, s.hidden, true);
    const Norm first = read_norm(p, s.hidden), second = read_norm(p, s.hidden);
    Var y = dropout(g, self_attention(g, s, attention, x), s.hidden_dropout, kAttention);
    y = add_and_norm(g, x, y, first);
    return add_and_norm(g, y, feed_forward(g, s, up, down, y), second);
}

Var decoder_layer(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& x,
                  const Var& memory) {
    const Attend self = read_attention(p, g, s);
    const Attend cross = read_attention(p, g, s);
    const Linear up = read_linear(p, g, s.hidden, s.ffn, true);
    const Linear down = read_linear(p, g, s.ffn, s.hidden, true);
    const Norm first = read_norm(p, s.hidden), second = read_norm(p, s.hidden),
               third = read_norm(p, s.hidden);
    Var y = dropout(g, self_attention(g, s, self, x), s.hidden_dropout, kAttention);
    y = add_and_norm(g, x, y, first);
    Var z = dropout(g, cross_attention(g, s, cross, y, memory), s.hidden_dropout, kAttention);
    y = add_and_norm(g, y, z, second);
    z.reset();
    return add_and_norm(g, y, feed_forward(g, s, up, down, y), third);
}

}  // namespace

Outputs temporal_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    const int query = p.next();
    const Linear in = read_linear(p, g, s.features, s.hidden, true);
    const Linear out = read_linear(p, g, s.hidden, s.features, true);
    const Var past = linear(g, batch.series, in, Group::embedding);
    Var memory = past;
    for (int i = 0; i < s.layers; ++i) {
        g.set_layer(i);
        memory = encoder_layer(g, s, p, memory);
    }
    memory = layer_norm(g, memory, read_norm(p, s.hidden));
    // The queries are one learned table, expanded over the batch without a copy.
    const auto& table = g.parameter(query);
    g.retain(table.data);
    Var y = reduce(
        g, Var(g, table.data, table.elements, table.dtype, Edge{Edge::Kind::parameter, query, 0}),
        g.settings().batch * s.horizon * s.hidden, Group::embedding);
    for (int i = 0; i < s.layers; ++i) {
        g.set_layer(s.layers + i);
        y = decoder_layer(g, s, p, y, memory);
    }
    g.set_layer(-1);
    y = layer_norm(g, y, read_norm(p, s.hidden));
    Outputs result;
    const Var prediction = linear(g, y, out, Group::logits);
    result.loss = mse_loss(g, prediction, batch.target);
    return result;
}

}  // namespace plimsoll::training
