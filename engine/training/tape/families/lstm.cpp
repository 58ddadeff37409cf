#include "engine/training/tape/families/layers.hpp"

// cuDNN's LSTM. What cuDNN reserves is not documented: four gates, cell and hidden state a step and
// layer are assumed, and a workspace of one step's gates; not measured.

namespace plimsoll::training {
namespace {

constexpr auto kGroup = Group::feed_forward;

// size: batch * steps, hidden, layers, weights. Edges: weights (as one).
void lstm_backward(Graph& g, Node& n) {
    const std::int64_t width = bytes_of(n.dtype);
    g.scratch(n.size[0] * n.size[1] * width, Group::backward_temporaries);
    Graph::output(n, 0, g.allocate(n.size[3] * width, Group::backward_temporaries));
    g.count_flops(2.0 * 2.0 * static_cast<double>(n.size[0]) * static_cast<double>(n.size[3]));
}

}  // namespace

Outputs lstm_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    const std::int64_t rows = batch.series.elements() / s.features;
    std::int64_t weights = 0;
    for (int i = 0; i < 4 * s.layers; ++i) weights += g.parameter(p.next()).elements;
    const Linear head =
        read_linear(p, g, s.hidden, static_cast<std::int64_t>(s.features) * s.horizon, true);
    const Dtype dtype = g.autocast() ? Dtype::half : Dtype::fp32;
    const Var input = to(g, batch.series, dtype, kGroup);
    // Weights are kept flattened in one tensor; autocast flattens a half copy.
    const Var flat = g.make(g.autocast() ? weights : 0, dtype, Group::half_weights);
    Var y = g.make(rows * s.hidden, dtype, kGroup);
    const Var reserve = g.make(rows * s.hidden * s.layers * 6, dtype, kGroup);
    g.scratch(4 * g.settings().batch * s.hidden * bytes_of(dtype), Group::workspace);
    g.count_flops(2.0 * static_cast<double>(rows) * static_cast<double>(weights));
    Node* n = g.node(lstm_backward, {Edge{Edge::Kind::parameter, 0, 0}}, dtype, kGroup);
    n->size = {rows, s.hidden, s.layers, weights};
    g.save(n, input);
    g.save(n, y);
    g.save(n, reserve);
    g.save(n, flat);
    y = y.alias(y.elements(), g.edge_to(n));
    Outputs out;
    const Var last = slice(g, y, g.settings().batch * s.hidden);
    const Var prediction = linear(g, last, head, Group::logits);
    out.loss = mse_loss(g, prediction, batch.target);
    return out;
}

}  // namespace plimsoll::training
