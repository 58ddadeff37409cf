#include "engine/training/tape/families/layers.hpp"

#include <vector>

// DeBERTa-v3 as transformers 5.17 writes it: scores of content against content, content against
// relative positions and the reverse, all kept. There is no fused form.

namespace plimsoll::training {
namespace {

// What all layers share.
struct Context {
    Var relative;   // embeddings of the relative positions
    Var positions;  // which of them lies between any two tokens
    Var mask;
};

class Attention {
  public:
    Attention(Graph& g, const ModelShape& shape) : g_(g), s_(shape) {}

    Var run(const EncoderBlock& l, const Var& x, const Context& c) {
        const Var q = by_heads(linear(g_, x, l.query, kGroup));
        const Var k = by_heads(linear(g_, x, l.key, kGroup));
        const Var v = by_heads(linear(g_, x, l.value, kGroup));
        Var scores;
        {
            const Var scaled = scale(g_, k, kGroup);
            scores = product(q, scaled, s_.head_dim, sequence());
        }
        const Var relative = dropout(g_, c.relative, s_.hidden_dropout, kGroup);
        // These two have names of their own until the function returns.
        const Var bias = position_scores(l, q, k, relative);
        scores = add(g_, scores, bias, kScores);
        {
            const Var seen = g_.make(c.mask.elements(), Dtype::boolean, kScores);
            const Var hidden = g_.make(c.mask.elements(), Dtype::boolean, kScores);
            scores = masked_fill(g_, scores, hidden, false, kScores);
        }
        const Var masked = scores;
        scores = softmax(g_, scores, kScores);
        scores = dropout(g_, scores, s_.attention_dropout, kScores);
        const Var weights = to(g_, scores, attended_type(g_, v), kScores);
        const Var context =
            bmm(g_, weights, v, pairs(), sequence(), sequence(), s_.head_dim, kGroup);
        return copy(g_, context, true, kGroup);
    }

  private:
    static constexpr auto kGroup = Group::attention;
    static constexpr auto kScores = Group::attention_scores;

    std::int64_t batch() const { return g_.settings().batch; }
    std::int64_t sequence() const { return g_.settings().sequence; }
    std::int64_t pairs() const { return batch() * s_.heads; }
    std::int64_t buckets() const { return 2LL * s_.position_buckets; }

    Var by_heads(const Var& x) { return copy(g_, x, true, kGroup); }

    Var product(const Var& a, const Var& b, std::int64_t inner, std::int64_t columns) {
        return bmm(g_, a, b, pairs(), sequence(), inner, columns, kScores);
    }

    // Of the layer's own projection of the relative positions, repeated for every text.
    Var projected(const Linear& projection, const Var& relative) {
        const Var heads = by_heads(linear(g_, relative, projection, kGroup));
        Var y = repeat_heads(g_, heads, batch());
        if (batch() == 1) y = copy(g_, heads, false, kGroup);
        return y;
    }

    // What is gathered stays in a local of the function until it returns.
    struct Picked {
        Var near, scaled;
    };
    Picked picked(const Var& content, const Var& positions, const Var& index) {
        const Var all = product(content, positions, s_.head_dim, buckets());
        const Var near = gather(g_, all, pairs() * sequence() * sequence(), index, kScores);
        return {near, scale(g_, near, kScores)};
    }

    Var index() { return g_.make(sequence() * sequence(), Dtype::int64, kScores); }

    Var position_scores(const EncoderBlock& l, const Var& q, const Var& k, const Var& relative) {
        const Var query_positions = projected(l.query, relative);
        const Var key_positions = projected(l.key, relative);
        Picked to_positions = picked(q, key_positions, index());
        const Var score = shift(g_, to_positions.scaled, kScores);  // begins as the number 0
        to_positions.scaled.reset();
        const Picked from_positions = picked(k, query_positions, index());
        return add_in_place(g_, score, from_positions.scaled);
    }

    Graph& g_;
    const ModelShape& s_;
};

Var run_layer_of(Graph& g, const ModelShape& s, const EncoderBlock& l, const Var& x,
                 const Context& c) {
    constexpr auto attention = Group::attention;
    constexpr auto ffn = Group::feed_forward;
    Var y = Attention(g, s).run(l, x, c);
    y = linear(g, y, l.attention_out, attention);
    y = dropout(g, y, s.hidden_dropout, attention);
    y = layer_norm(g, add(g, y, x, attention), l.attention_norm);
    // Has a name of its own until the layer returns.
    const Var inner = activate(g, linear(g, y, l.up, ffn), s.activation, ffn);
    Var z = linear(g, inner, l.down, ffn);
    z = dropout(g, z, s.hidden_dropout, ffn);
    return layer_norm(g, add(g, z, y, ffn), l.output_norm);
}

// The words' embeddings, those of padding set to zero.
Var embed(Graph& g, const ModelShape& s, ParameterCursor& p, const Batch& batch) {
    constexpr auto group = Group::embedding;
    const std::int64_t rows = batch.ids.elements();
    Var x = embedding(g, p.next(), rows, s.hidden, {}, true);
    x = layer_norm(g, x, read_norm(p, s.hidden), group);
    const Var mask = g.make(rows, x.dtype(), group);
    x = multiply(g, x, mask, group, Broadcast::over_columns);
    return dropout(g, x, s.hidden_dropout, group);
}

// Relative positions and the classifier come last among the parameters.
struct Last {
    int relative = -1;
    Norm norm;
    Linear pooler, classifier;
};
Last read_last(Graph& g, const ModelShape& s) {
    const int first = static_cast<int>(g.parameters().size()) - 7;
    return {
        .relative = first,
        .norm = {first + 1, first + 2, s.hidden},
        .pooler = {.weight = first + 3, .bias = first + 4, .in = s.hidden, .out = s.hidden},
        .classifier = {.weight = first + 5, .bias = first + 6, .in = s.hidden, .out = s.labels}};
}

}  // namespace

Outputs deberta_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    constexpr auto head = Group::logits;
    ParameterCursor p(g);
    const std::int64_t sequence = g.settings().sequence;
    const std::int64_t scores = g.settings().batch * sequence * sequence;
    const Last last = read_last(g, s);
    // Types of tokens are made though the model has none.
    const Var types = g.make(batch.ids.elements(), Dtype::int64, Group::embedding);
    Var x = embed(g, s, p, batch);
    Context c;
    c.mask = g.make(scores, Dtype::int64, Group::attention_scores);
    c.positions = g.make(sequence * sequence, Dtype::int64, Group::attention_scores);
    c.relative = layer_norm(g, parameter(g, last.relative), last.norm, Group::embedding);
    std::vector<Var> outputs{x};  // the encoder collects what every layer returns
    for (int i = 0; i < s.layers; ++i) {
        const EncoderBlock layer = read_encoder_block(g, s, p);
        x = run_layer(g, i, std::move(x), [&g, &s, layer, c](const Var& in) {
            return run_layer_of(g, s, layer, in, c);
        });
        outputs.push_back(x);
    }
    outputs.clear();
    Var y = slice(g, x, g.settings().batch * s.hidden);
    y = gelu(g, linear(g, y, last.pooler, head), head);
    y = dropout(g, y, s.hidden_dropout, head);
    Outputs out;
    out.logits = linear(g, y, last.classifier, head);
    out.loss = cross_entropy(g, out.logits, batch.labels);
    return out;
}

}  // namespace plimsoll::training
