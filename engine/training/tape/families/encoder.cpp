#include "engine/training/tape/families/layers.hpp"

// BERT, DistilBERT and RoBERTa as transformers 5.17 writes them. Local variables live as long as
// the Python ones do: that decides which memory is free when.

namespace plimsoll::training {
namespace {

// RoBERTa's follow from the ids. ELECTRA, whose layers and head are its, has those of BERT.
bool counts_positions(const ModelShape& s) { return s.family == Family::roberta && !s.own_traits; }

// Embeddings -> summed, normalized, dropped out.
Var embed(Graph& g, const ModelShape& s, ParameterCursor& p, std::int64_t rows) {
    constexpr auto group = Group::embedding;
    const std::int64_t sequence = g.settings().sequence;
    const bool roberta = counts_positions(s);
    const bool typed = s.family != Family::distilbert;
    const int word = p.next();
    const int position = roberta ? p.position() + 3 : p.next();
    const int type = typed ? p.next() : -1;
    const Norm norm = read_norm(p, s.hidden);
    if (roberta) p.next();

    Var position_ids, types;
    if (roberta) position_ids = g.make(rows, Dtype::int64, group);  // computed from the input ids
    if (typed) types = g.make(roberta ? rows : sequence, Dtype::int64, group);
    const Var words = embedding(g, word, rows, s.hidden, {}, true);
    Var sum = words;
    Var type_rows;
    if (typed) {
        const Var expanded_ids = g.make(rows, Dtype::int64, group);
        type_rows = embedding(g, type, rows, s.hidden, types);
        sum = add(g, words, type_rows, group);
    }
    const Var positions = embedding(g, position, roberta ? rows : sequence, s.hidden, position_ids);
    sum = add(g, sum, positions, group);
    Var out = layer_norm(g, sum, norm, group);
    sum = out;
    return dropout(g, out, s.hidden_dropout, group);
}

// Split into heads; eager's products return gradients in the order of heads, to be copied back.
Var by_heads(Graph& g, const Var& x, bool copied_back) { return copied_back ? reordered(g, x) : x; }

Var run_one(Graph& g, const ModelShape& s, const EncoderBlock& l, const Var& x, const Var& bias,
            const AttentionShape& shape) {
    constexpr auto attention = Group::attention;
    const bool distil = s.family == Family::distilbert;
    Var y, weights;
    {
        Var context;
        {
            const bool eager = g.settings().attention == Attention::eager;
            const Var q = by_heads(g, linear(g, x, l.query, attention), eager);
            const Var k = by_heads(g, linear(g, x, l.key, attention), eager);
            const Var v = by_heads(g, linear(g, x, l.value, attention), eager);
            context = attend(g, q, k, v, bias, shape, Probabilities::after_dropout, weights);
        }
        y = linear(g, context, l.attention_out, attention);
        if (distil) context.reset();
        if (!distil) y = dropout(g, y, s.hidden_dropout, attention);
        y = layer_norm(g, add(g, y, x, attention), l.attention_norm);
    }
    Var z;
    {
        Var wide = linear(g, y, l.up, Group::feed_forward);
        wide = activate(g, wide, s.activation, Group::feed_forward);
        z = linear(g, wide, l.down, Group::feed_forward);
        if (distil) wide.reset();
        z = dropout(g, z, s.hidden_dropout, Group::feed_forward);
        z = layer_norm(g, add(g, z, y, Group::feed_forward), l.output_norm);
    }
    return z;
}

}  // namespace

Var encoder_forward(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& ids,
                    const std::function<void(const Var&)>& before_return, int first_layer) {
    const std::int64_t rows = ids.elements();
    const std::int64_t sequence = g.settings().sequence;
    const Var embeddings = embed(g, s, p, rows);
    AttentionShape shape = self_attention(g, s, rows, false);
    // All-ones masks are skipped; real padding builds [batch, 1, tokens, tokens].
    Var mask;
    if (shape.mask && g.settings().attention != Attention::flash) {
        const bool eager = g.settings().attention == Attention::eager;
        mask = g.make(shape.batch * sequence * sequence,
                      eager ? embeddings.dtype() : Dtype::boolean, Group::attention_scores);
    }
    const Var bias = g.settings().attention == Attention::eager ? mask : Var();
    Var x = embeddings;
    for (int i = 0; i < s.layers; ++i) {
        const EncoderBlock layer = read_encoder_block(g, s, p);
        x = run_layer(g, first_layer + i, std::move(x), [&g, s, layer, bias, shape](const Var& in) {
            return run_one(g, s, layer, in, bias, shape);
        });
    }
    if (before_return) before_return(x);
    return x;
}

namespace {

Var masked_language_model(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& hidden) {
    constexpr auto head = Group::logits;
    const int bias = p.next();
    const Linear dense = read_linear(p, g, s.hidden, s.hidden, true);
    const Norm norm = read_norm(p, s.hidden);
    const Linear decoder{
        .weight = s.tied_head ? 0 : p.next(), .bias = bias, .in = s.hidden, .out = s.vocab};
    Var y = linear(g, hidden, dense, head);
    y = activate(g, y, s.activation, head);
    y = layer_norm(g, y, norm, head);
    return linear(g, y, decoder, head);
}

}  // namespace

Outputs bert_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    constexpr auto head = Group::logits;
    ParameterCursor p(g);
    Outputs out;
    if (s.head == Head::language_model) {
        const Var hidden = encoder_forward(g, s, p, batch.ids, {});
        out.logits = masked_language_model(g, s, p, hidden);
        out.loss = cross_entropy(g, out.logits, batch.labels);
        return out;
    }
    const std::int64_t first_tokens = batch.ids.elements() / g.settings().sequence * s.hidden;
    Var y;
    const auto pool = [&](const Var& hidden) {  // BERT's pooler is part of the model
        y = slice(g, hidden, first_tokens);
        y = linear(g, y, read_linear(p, g, s.hidden, s.hidden, true), head);
        y = tanh(g, y, head);
    };
    const bool pools = s.family == Family::bert;
    const Var hidden = encoder_forward(g, s, p, batch.ids,
                                       pools ? std::function<void(const Var&)>(pool) : nullptr);
    if (!pools) {
        y = slice(g, hidden, first_tokens);
        if (s.family == Family::roberta) y = dropout(g, y, s.hidden_dropout, head);
        y = linear(g, y, read_linear(p, g, s.hidden, s.hidden, true), head);
        y = s.family == Family::distilbert ? relu(g, y, head)
            : s.own_traits                 ? gelu(g, y, head)
                                           : tanh(g, y, head);
    }
    y = dropout(g, y, s.hidden_dropout, head);
    out.logits = linear(g, y, read_linear(p, g, s.hidden, s.labels, true), head);
    out.loss = cross_entropy(g, out.logits, batch.labels);
    return out;
}

}  // namespace plimsoll::training
