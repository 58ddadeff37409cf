#include "engine/training/tape/families/layers.hpp"

#include <algorithm>

// Several BERT channels pooled by the mean of their tokens, a mixture of experts over the joined
// vectors, a projection, and a contrastive loss of one positive against the negatives.

namespace plimsoll::training {
namespace {

// One channel: encoder, its pooler (result unused), mean over the unmasked tokens. `hidden` is the
// loop's variable: the previous channel's states live until this one's are there.
Var channel(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& ids, int index,
            Var& hidden) {
    constexpr auto group = Group::embedding;
    const std::int64_t texts = ids.elements() / g.settings().sequence;
    const auto pool = [&](const Var& hidden) {
        g.set_recording(false);
        Var y = slice(g, hidden, texts * s.hidden);
        y = tanh(g, linear(g, y, read_linear(p, g, s.hidden, s.hidden, true), Group::logits),
                 Group::logits);
        g.set_recording(true);
    };
    hidden = encoder_forward(g, s, p, ids, pool, index * s.layers);
    const Var mask = g.make(hidden.elements(), Dtype::fp32, group);
    Var sum;
    {
        const Var masked = multiply(g, hidden, mask, group);
        sum = reduce(g, masked, texts * s.hidden, group);
    }
    const Var tokens = g.make(texts * s.hidden, Dtype::fp32, group);
    return multiply(g, sum, tokens, group);  // divided by the number of tokens
}

// Every expert sees the rows whose top-k contains it: balanced routing, rows * k / experts each.
Var mixture(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& x) {
    constexpr auto group = Group::experts;
    const std::int64_t width = static_cast<std::int64_t>(s.hidden) * s.channels;
    const std::int64_t rows = x.elements() / width;
    const std::int64_t picked = std::max<std::int64_t>(1, rows * s.experts_per_row / s.experts);
    const Var gates =
        softmax(g, linear(g, x, read_linear(p, g, width, s.experts, true), group), group);
    const Var weights = reduce(g, gates, rows * s.experts_per_row, group);
    Var y = g.make(x.elements(), x.dtype(), group);
    for (int e = 0; e < s.experts; ++e) {
        const Linear up = read_linear(p, g, width, s.expert_hidden, true);
        const Linear down = read_linear(p, g, s.expert_hidden, width, true);
        const Var index = g.make(2 * picked, Dtype::int64, group);
        Var z;
        {
            const Var input = pick_rows(g, x, picked * width, group);
            z = gelu(g, linear(g, input, up, group), group);
        }
        z = dropout(g, z, 0.1, group);
        z = linear(g, z, down, group);
        const Var gate = pick_rows(g, weights, picked, group);
        z = multiply(g, z, gate, group, Broadcast::over_columns);
        y = add_rows(g, y, z, group);
    }
    return y;
}

Var encode(Graph& g, const ModelShape& s, const Var& ids) {
    ParameterCursor p(g);
    const std::int64_t texts = ids.elements() / g.settings().sequence;
    std::vector<Var> pooled;
    Var hidden;
    for (int c = 0; c < s.channels; ++c) pooled.push_back(channel(g, s, p, ids, c, hidden));
    Var joined = reduce(g, pooled.front(), texts * s.hidden * s.channels, Group::experts);
    const std::int64_t width = static_cast<std::int64_t>(s.hidden) * s.channels;
    // cat: each channel's gradient is a part of the whole.
    for (std::size_t c = 1; c < pooled.size(); ++c)
        joined = add_rows(g, joined, pooled[c], Group::experts);
    const Var mixed = mixture(g, s, p, joined);
    return linear(g, mixed, read_linear(p, g, width, s.hidden, true), Group::experts);
}

}  // namespace

Outputs naics_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    const Var anchor = encode(g, s, batch.ids);
    const Var positive = encode(g, s, batch.ids);
    const std::int64_t samples = batch.ids.elements() / g.settings().sequence;
    Var distance = reduce(g, add(g, anchor, positive, Group::logits), samples, Group::logits);
    if (batch.other_ids.elements() > 0) {
        const Var negatives = encode(g, s, batch.other_ids);
        const Var differences = add(g, negatives, anchor, Group::logits);
        const Var to_negatives =
            reduce(g, power(g, differences, Group::logits),
                   batch.other_ids.elements() / g.settings().sequence, Group::logits);
        distance = add_rows(g, to_negatives, distance, Group::logits);
    }
    Outputs out;
    const Var labels = g.make(samples, Dtype::int64, Group::logits);
    out.loss = cross_entropy(g, distance, labels);
    return out;
}

}  // namespace plimsoll::training
