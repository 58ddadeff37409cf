#include "engine/training/tape/families/layers.hpp"

// BART as transformers 5.17 writes it: an encoder like BERT's, and a decoder that attends to what
// it made. Both read the words' table and have positions of their own.

namespace plimsoll::training {
namespace {

struct Projections {
    Linear key, value, query, out;
    Norm norm;
};
struct Block {
    Projections self, cross;
    Linear up, down;
    Norm norm;
};

Projections read_projections(Graph& g, const ModelShape& s, ParameterCursor& p) {
    Projections a;
    for (auto* one : {&a.key, &a.value, &a.query, &a.out})
        *one = read_linear(p, g, s.hidden, s.hidden, true);
    a.norm = read_norm(p, s.hidden);
    return a;
}

Block read_block(Graph& g, const ModelShape& s, ParameterCursor& p, bool decodes) {
    Block b;
    b.self = read_projections(g, s, p);
    if (decodes) b.cross = read_projections(g, s, p);
    b.up = read_linear(p, g, s.hidden, s.ffn, true);
    b.down = read_linear(p, g, s.ffn, s.hidden, true);
    b.norm = read_norm(p, s.hidden);
    return b;
}

// What a stack's layers share.
struct Stack {
    bool decodes = false;
    std::int64_t length = 0;
    Var mask = {}, cross_mask = {};
    Var encoded = {};
};

class Layer {
  public:
    Layer(Graph& g, const ModelShape& shape, const Stack& stack) : g_(g), s_(shape), c_(stack) {}

    Var run(const Block& b, const Var& x) {
        constexpr auto group = Group::feed_forward;
        const double inner = s_.traits().inner_dropout ? s_.hidden_dropout : 0;
        Var y = attended(b.self, x, x, c_.length, c_.decodes, c_.mask);
        if (c_.decodes)
            y = attended(b.cross, y, c_.encoded, g_.settings().sequence, false, c_.cross_mask);
        Var z = activate(g_, linear(g_, y, b.up, group), s_.activation, group);
        z = dropout(g_, z, inner, group);
        z = linear(g_, z, b.down, group);
        z = dropout(g_, z, s_.hidden_dropout, group);
        z = add(g_, y, z, group);
        return layer_norm(g_, z, b.norm);
    }

  private:
    Var attended(const Projections& a, const Var& x, const Var& source, std::int64_t keys,
                 bool causal, const Var& mask) {
        constexpr auto group = Group::attention;
        Var y = attention(a, x, source, keys, causal, mask);
        y = dropout(g_, y, s_.hidden_dropout, group);
        y = add(g_, x, y, group);
        return layer_norm(g_, y, a.norm);
    }

    Var attention(const Projections& a, const Var& x, const Var& source, std::int64_t keys,
                  bool causal, const Var& mask) {
        constexpr auto group = Group::attention;
        const bool eager = g_.settings().attention == Attention::eager;
        const auto heads = [&](Var y) { return eager ? reordered(g_, y) : y; };
        const Var q = heads(linear(g_, x, a.query, group));
        const Var k = heads(linear(g_, source, a.key, group));
        const Var v = heads(linear(g_, source, a.value, group));
        const AttentionShape shape{.batch = g_.settings().batch,
                                   .heads = s_.heads,
                                   .kv_heads = s_.heads,
                                   .queries = c_.length,
                                   .keys = keys,
                                   .head_dim = s_.head_dim,
                                   .dropout = s_.attention_dropout,
                                   .causal = causal,
                                   .mask = static_cast<bool>(mask)};
        const Var y = attend(g_, q, k, v, eager ? mask : Var(), shape, Probabilities::after_dropout,
                             weights_);
        return linear(g_, y, a.out, group);
    }

    Graph& g_;
    const ModelShape& s_;
    const Stack& c_;
    Var weights_;  // a layer's name for them lives until the next attention
};

Var run_stack(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& ids, Stack stack) {
    constexpr int words = 0;
    constexpr auto group = Group::embedding;
    const int first = stack.decodes ? s.layers : 0;
    const int layers = stack.decodes ? s.decoder_layers : s.layers;
    const int table = p.next();
    std::vector<Block> blocks;
    for (int i = 0; i < layers; ++i) blocks.push_back(read_block(g, s, p, stack.decodes));
    const Norm norm = read_norm(p, s.hidden);

    Var embedded = embedding(g, words, ids.elements(), s.hidden, stack.decodes ? ids : Var());
    embedded = as_input(g, scale(g, embedded, group), words);
    // The encoder's positions are those of every text.
    const std::int64_t placed = stack.decodes ? stack.length : ids.elements();
    const Var positions =
        embedding(g, table, placed, s.hidden, g.make(placed, Dtype::int64, group));
    Var x = add(g, embedded, positions, group);
    x = layer_norm(g, x, norm, group);
    x = dropout(g, x, s.hidden_dropout, group);
    for (int i = 0; i < layers; ++i)
        x = run_layer(g, first + i, std::move(x),
                      [&g, &s, block = blocks[static_cast<std::size_t>(i)], stack](const Var& in) {
                          return Layer(g, s, stack).run(block, in);
                      });
    return x;
}

}  // namespace

Outputs bart_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    Outputs out;
    Var shifted;
    const Var y = encode_and_decode<Stack>(
        g, g.parameter(p.next()).dtype, batch, out, shifted,
        [&](const Var& ids, Stack stack) { return run_stack(g, s, p, ids, std::move(stack)); });
    const Linear head{.weight = s.tied_head ? 0 : p.next(), .in = s.hidden, .out = s.vocab};
    out.logits = linear(g, y, head, Group::logits);
    // A bias that does not train, and that autocast leaves in fp32, is added.
    out.logits = g.autocast() ? to(g, out.logits, Dtype::fp32, Group::logits)
                              : shift(g, out.logits, Group::logits);
    out.loss = cross_entropy(g, out.logits, batch.labels);
    return out;
}

}  // namespace plimsoll::training
