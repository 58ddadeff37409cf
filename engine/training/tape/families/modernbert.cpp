#include "engine/training/tape/families/layers.hpp"
#include "engine/training/tape/operations/rotary.hpp"

namespace plimsoll::training {
namespace {

struct Block {
    Norm first, second;
    Linear qkv, attention_out, up, down;
};

Norm read_plain_norm(ParameterCursor& p, std::int64_t width) {
    return {.weight = p.next(), .bias = -1, .width = width};
}

Block read_block(Graph& g, const ModelShape& s, ParameterCursor& p, bool first) {
    Block b;
    if (!first) b.first = read_plain_norm(p, s.hidden);
    b.qkv = read_linear(p, g, s.hidden, 3LL * s.hidden, false);
    b.attention_out = read_linear(p, g, s.hidden, s.hidden, false);
    b.second = read_plain_norm(p, s.hidden);
    b.up = read_linear(p, g, s.hidden, 2LL * s.ffn, false);
    b.down = read_linear(p, g, s.ffn, s.hidden, false);
    return b;
}

struct Context {
    RotaryTables rope;
    Var mask, bias;
    AttentionShape shape;
};

// Turned in fp32, whatever the tensor's type.
Var rotate_wide(Graph& g, const Var& x, const RotaryTables& rope) {
    constexpr auto group = Group::attention;
    const Var straight = multiply(g, to(g, x, Dtype::fp32, group), rope.cosine, group);
    Var turned;
    {
        const Var halves = rotate_half(g, to(g, x, Dtype::fp32, group), group);
        turned = multiply(g, halves, rope.sine, group);
    }
    return to(g, add(g, straight, turned, group), x.dtype(), group);
}

Var attention(Graph& g, const ModelShape& s, const Block& b, const Var& x, const Context& c) {
    constexpr auto group = Group::attention;
    Var weights;
    auto [q, k, v] = split3(g, linear(g, x, b.qkv, group));
    {
        Var turned_q = rotate_wide(g, q, c.rope);
        Var turned_k = rotate_wide(g, k, c.rope);
        q = std::move(turned_q);
        k = std::move(turned_k);
    }
    const Var y = attend(g, q, k, v, c.bias, c.shape, Probabilities::fp32_softmax, weights);
    return dropout(g, linear(g, y, b.attention_out, group), s.attention_dropout, group);
}

Var feed_forward(Graph& g, const ModelShape& s, const Block& b, const Var& x) {
    constexpr auto group = Group::feed_forward;
    const auto [input, gate] = split2(g, linear(g, x, b.up, group));
    Var y = multiply(g, activate(g, input, s.activation, group), gate, group);
    y = dropout(g, y, s.hidden_dropout, group);
    return linear(g, y, b.down, group);
}

Var run_block(Graph& g, const ModelShape& s, const Block& b, const Var& x, const Context& c) {
    Var attended;  // has a name of its own until the layer returns
    {
        const Var input = b.first.weight < 0 ? x : layer_norm(g, x, b.first);
        attended = attention(g, s, b, input, c);
    }
    const Var y = add(g, x, attended, Group::attention);
    return add(g, y, feed_forward(g, s, b, layer_norm(g, y, b.second)), Group::feed_forward);
}

Var hidden_states(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& ids) {
    const std::int64_t rows = ids.elements();
    const int sequence = g.settings().sequence;
    const bool eager = g.settings().attention == Attention::eager;
    const bool flash = g.settings().attention == Attention::flash;
    const Var position_ids = g.make(sequence, Dtype::int64, Group::embedding);
    Var x = embedding(g, p.next(), rows, s.hidden, {}, true);
    x = layer_norm(g, x, read_plain_norm(p, s.hidden), Group::embedding);
    const Var embedded = x;  // among the arguments of the masks, which the model keeps
    const auto context_of = [&](bool window) {
        Context c;
        c.shape = self_attention(g, s, rows, false);
        // flash-attn takes the window's size instead.
        c.shape.mask = c.shape.mask || (window && !flash && sequence >= s.window);
        if (!flash && (c.shape.mask || eager))
            c.mask = g.make(c.shape.batch * sequence * sequence, eager ? x.dtype() : Dtype::boolean,
                            Group::attention_scores);
        if (eager && c.shape.mask) c.bias = c.mask;
        return c;
    };
    Context full = context_of(false), windowed = context_of(true);
    full.rope = rotary_tables(g, sequence, s.head_dim, x.dtype());
    windowed.rope = rotary_tables(g, sequence, s.head_dim, x.dtype());
    for (int i = 0; i < s.layers; ++i) {
        const Block block = read_block(g, s, p, i == 0);
        const Context& context = s.has_window(i) ? windowed : full;
        x = run_layer(g, i, std::move(x), [&g, &s, block, context](const Var& in) {
            return run_block(g, s, block, in, context);
        });
    }
    return layer_norm(g, x, read_plain_norm(p, s.hidden));
}

// The mean of a text's tokens, or its first.
Var pooled(Graph& g, const ModelShape& s, const Var& hidden, const Batch& batch) {
    constexpr auto group = Group::logits;
    const std::int64_t texts = hidden.elements() / s.hidden / g.settings().sequence;
    if (!s.mean_pooling) return slice(g, hidden, texts * s.hidden);
    Var sum;
    {
        const Var masked = multiply(g, hidden, batch.mask, group, Broadcast::over_columns);
        sum = reduce(g, masked, texts * s.hidden, group);
    }
    const Var tokens = g.make(texts, Dtype::int64, group);
    return multiply(g, sum, tokens, group, Broadcast::over_columns);
}

}  // namespace

Outputs modernbert_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    constexpr auto head = Group::logits;
    ParameterCursor p(g);
    const Var hidden = hidden_states(g, s, p, batch.ids);
    const bool classifies = s.head == Head::classifier;
    const Linear dense = read_linear(p, g, s.hidden, s.hidden, false);
    const Norm norm = read_plain_norm(p, s.hidden);
    Var y = classifies ? pooled(g, s, hidden, batch) : hidden;
    y = layer_norm(g, activate(g, linear(g, y, dense, head), Activation::gelu, head), norm, head);
    Outputs out;
    if (classifies) {
        out.logits = linear(g, y, read_linear(p, g, s.hidden, s.labels, true), head);
        out.loss = cross_entropy(g, out.logits, batch.labels);
    } else {
        const int weight = s.tied_head ? 0 : p.next();
        const Linear decoder{.weight = weight, .bias = p.next(), .in = s.hidden, .out = s.vocab};
        out.logits = linear(g, y, decoder, head);
        out.loss = language_model_loss(g, out.logits, batch.labels, false);
    }
    return out;
}

}  // namespace plimsoll::training
