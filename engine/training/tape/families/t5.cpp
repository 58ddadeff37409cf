#include "engine/training/tape/families/layers.hpp"

#include <memory>

// T5 as transformers 5.17 writes it: an encoder, and a decoder that attends to what it made. A
// table of relative positions, read once in each, is added to the scores of all its layers.

namespace plimsoll::training {
namespace {

struct Projections {
    Linear query, key, value, out;
    int positions = -1;  // of the first layer
    int norm = -1;
};
struct Block {
    Projections self, cross;
    Linear up, gate, down;
    int norm = -1;
};

Projections read_projections(Graph& g, const ModelShape& s, ParameterCursor& p, bool positions) {
    Projections a;
    a.query = read_linear(p, g, s.hidden, s.q_width(), false);
    a.key = read_linear(p, g, s.hidden, s.q_width(), false);
    a.value = read_linear(p, g, s.hidden, s.q_width(), false);
    a.out = read_linear(p, g, s.q_width(), s.hidden, false);
    if (positions) a.positions = p.next();
    a.norm = p.next();
    return a;
}

Block read_block(Graph& g, const ModelShape& s, ParameterCursor& p, bool first, bool decodes) {
    Block b;
    b.self = read_projections(g, s, p, first);
    if (decodes) b.cross = read_projections(g, s, p, false);
    if (s.gated) b.gate = read_linear(p, g, s.hidden, s.ffn, false);
    b.up = read_linear(p, g, s.hidden, s.ffn, false);
    b.down = read_linear(p, g, s.ffn, s.hidden, false);
    b.norm = p.next();
    return b;
}

// What a stack's layers share. Its first layer makes the biases, for it holds the table.
struct Biases {
    Var self, cross;
};
struct Stack {
    bool decodes = false;
    std::int64_t length = 0;
    Var mask = {}, cross_mask = {};
    Var encoded = {};
    std::shared_ptr<Biases> biases = std::make_shared<Biases>();
};

class Layer {
  public:
    Layer(Graph& g, const ModelShape& shape, const Stack& stack) : g_(g), s_(shape), c_(stack) {}

    Var run(const Block& b, const Var& x) {
        Var y = attended(b.self, x, {}, c_.biases->self, c_.length, c_.mask);
        if (c_.decodes)
            y = attended(b.cross, y, c_.encoded, c_.biases->cross, g_.settings().sequence,
                         c_.cross_mask);
        Var z = t5_norm(g_, y, b.norm, s_.hidden);
        z = dropout(g_, feed_forward(b, z), s_.hidden_dropout, Group::feed_forward);
        return add(g_, y, z, Group::feed_forward);
    }

  private:
    Var attended(const Projections& a, const Var& x, const Var& source, Var& bias,
                 std::int64_t keys, const Var& mask) {
        constexpr auto group = Group::attention;
        const bool crosses = static_cast<bool>(source);
        Var y;
        {
            const Var normed = t5_norm(g_, x, a.norm, s_.hidden);
            y = attention(a, normed, crosses ? source : normed, bias, keys, mask, crosses);
        }
        return add(g_, x, dropout(g_, y, s_.hidden_dropout, group), group);
    }

    Var attention(const Projections& a, const Var& x, const Var& source, Var& bias,
                  std::int64_t keys, const Var& mask, bool crosses) {
        constexpr auto group = Group::attention;
        const bool eager = g_.settings().attention == Attention::eager;
        const auto heads = [&](Var y) { return eager ? reordered(g_, y) : y; };
        const Var q = heads(linear(g_, x, a.query, group));
        const Var k = heads(linear(g_, source, a.key, group));
        const Var v = heads(linear(g_, source, a.value, group));
        if (!bias || a.positions >= 0) bias = make_bias(a, keys, q.dtype());
        AttentionShape shape{.batch = g_.settings().batch,
                             .heads = s_.heads,
                             .kv_heads = s_.heads,
                             .queries = c_.length,
                             .keys = keys,
                             .head_dim = s_.head_dim,
                             .dropout = s_.hidden_dropout,
                             .biased = true,
                             .trained_bias = bias.edge().kind != Edge::Kind::none};
        Var weights;
        const Var y = eager ? eager_attention(g_, q, k, v, bias, shape,
                                              Probabilities::after_dropout, weights, mask)
                            : fused(q, k, v, bias, shape, mask, crosses);
        return linear(g_, y, a.out, group);
    }

    // Where a mask hides something, the bias is replaced by the least number; autocast converts
    // what comes of it.
    Var fused(const Var& q, const Var& k, const Var& v, const Var& bias,
              const AttentionShape& shape, const Var& mask, bool crosses) {
        constexpr auto scores = Group::attention_scores;
        Var hidden = bias;
        if (mask) {
            hidden = masked_fill(g_, expand(g_, bias, bias.elements() * shape.batch), mask, false,
                                 scores);
        } else if (c_.decodes && !crosses) {
            const Var causal = g_.make(shape.queries * shape.keys, Dtype::boolean, scores);
            hidden = masked_fill(g_, bias, causal, false, scores);
        }
        return sdpa(g_, q, k, v, shape, hidden);
    }

    Var make_bias(const Projections& a, std::int64_t keys, Dtype dtype) {
        constexpr auto scores = Group::attention_scores;
        const std::int64_t pairs = c_.length * keys;
        if (a.positions < 0) {
            Var zeros = g_.make(s_.heads * pairs, dtype, scores);
            // Under checkpointing it is made to want a gradient.
            const bool leaf = g_.settings().checkpointing && !g_.recomputing();
            return leaf ? g_.as_leaf(zeros) : zeros;
        }
        const Var buckets = g_.make(pairs, Dtype::int64, scores);
        return embedding(g_, a.positions, pairs, s_.heads, buckets);
    }

    Var feed_forward(const Block& b, const Var& x) {
        constexpr auto group = Group::feed_forward;
        Var y;
        if (s_.gated) {
            const Var gate = activate(g_, linear(g_, x, b.gate, group), s_.activation, group);
            y = multiply(g_, gate, linear(g_, x, b.up, group), group);
        } else {
            y = activate(g_, linear(g_, x, b.up, group), s_.activation, group);
        }
        y = dropout(g_, y, s_.hidden_dropout, group);
        // In the type of the weight, which matters to fp16; autocast converts it back.
        y = to(g_, y, g_.parameter(b.down.weight).dtype, group);
        return linear(g_, y, b.down, group);
    }

    Graph& g_;
    const ModelShape& s_;
    const Stack& c_;
};

Var run_stack(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& ids, Stack stack) {
    constexpr int words = 0;
    const int first = stack.decodes ? s.layers : 0;
    const int layers = stack.decodes ? s.decoder_layers : s.layers;
    const Var embedded =
        embedding(g, words, ids.elements(), s.hidden, stack.decodes ? ids : Var(), true);
    Var x = dropout(g, embedded, s.hidden_dropout, Group::embedding);
    for (int i = 0; i < layers; ++i) {
        const Block block = read_block(g, s, p, i == 0, stack.decodes);
        x = run_layer(g, first + i, std::move(x), [&g, &s, block, stack](const Var& in) {
            return Layer(g, s, stack).run(block, in);
        });
    }
    return dropout(g, t5_norm(g, x, p.next(), s.hidden), s.hidden_dropout, Group::norms);
}

}  // namespace

Outputs t5_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    Outputs out;
    Var shifted;
    Var y = encode_and_decode<Stack>(
        g, g.parameter(p.next()).dtype, batch, out, shifted,
        [&](const Var& ids, Stack stack) { return run_stack(g, s, p, ids, std::move(stack)); });
    if (s.scaled_output) y = scale(g, y, Group::logits);
    const Linear head{.weight = s.tied_head ? 0 : p.next(), .in = s.hidden, .out = s.vocab};
    out.logits = linear(g, y, head, Group::logits);
    out.loss = cross_entropy(g, out.logits, batch.labels);
    return out;
}

}  // namespace plimsoll::training
