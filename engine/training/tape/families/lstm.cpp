#include "engine/training/tape/families/layers.hpp"

#include <algorithm>
#include <array>

// cuDNN's LSTM. What it reserves is not documented; the sizes are those that two runs of two layers
// on an H100 leave (fp16 autocast and fp32, tests/unit/engine/training/data/README.md): a reserve
// of the four gates and the cell's state of each layer and step, and two bytes for each number
// between two layers; a workspace of seven hidden states a step, assumed to be shared by all
// layers.

namespace plimsoll::training {
namespace {

constexpr auto kGroup = Group::feed_forward;
constexpr std::size_t kWeights = 4;  // of a layer: both matrices and their biases
constexpr std::int64_t kKept = 5;    // gates and cell of a layer
constexpr std::int64_t kBetween = 2;
constexpr std::int64_t kWorkspace = 7;

// size: elements of each weight. Edges: the weights, whose gradients come in one buffer.
void weights_backward(Graph& g, Node& n) {
    for (int i = 0; i < n.n_next; ++i)
        if (n.wants(i))
            Graph::output(n, i,
                          g.allocate(n.size[static_cast<std::size_t>(i)] * bytes_of(n.dtype),
                                     Group::gradients));
}

// Edges: who take their parts of the buffer.
void share_backward(Graph& g, Node& n) {
    const BufferId whole = n.gradients[0].buffer;
    for (int i = 0; i < n.n_next; ++i) {
        g.retain(whole);
        Graph::output(n, i, whole, true);
    }
}

// size: batch * steps, hidden, layers, weights, batch, features. Edges: weights (as one).
void lstm_backward(Graph& g, Node& n) {
    const auto [rows, hidden, layers, weights, batch, features] = n.size;
    const std::int64_t width = bytes_of(n.dtype);
    const auto allocate = [&](std::int64_t elements) {
        return g.allocate(elements * width, Group::backward_temporaries);
    };
    const std::array states = {allocate(layers * batch * hidden),
                               allocate(layers * batch * hidden)};
    // The gradient and the input as cuDNN reads them, step by step, and the input's gradient.
    const std::array copies = {allocate(rows * hidden), allocate(rows * features),
                               allocate(rows * features)};
    const std::array gradients = {allocate(layers * batch * hidden),
                                  allocate(layers * batch * hidden)};
    g.scratch(kWorkspace * rows * hidden * width, Group::workspace);
    for (const auto id : copies) g.release(id);
    Graph::output(n, 0, allocate(weights), true);
    g.scratch(kWorkspace * rows * hidden * width, Group::workspace);
    for (const auto id : gradients) g.release(id);
    for (const auto id : states) g.release(id);
    g.count_flops(2.0 * 2.0 * static_cast<double>(rows) * static_cast<double>(weights));
}

struct Weights {
    std::int64_t elements = 0;
    Edge edge;
};

Weights read_weights(ParameterCursor& p, Graph& g, int layers) {
    Weights out;
    for (int layer = 0; layer < layers; ++layer) {
        std::array<Edge, kWeights> edges;
        std::array<std::int64_t, kWeights> sizes{};
        Dtype dtype = Dtype::fp32;
        for (std::size_t i = 0; i < kWeights; ++i) {
            const int index = p.next();
            const auto& weight = g.parameter(index);
            if (weight.trainable) edges[i] = {Edge::Kind::parameter, index, 0};
            sizes[i] = weight.elements;
            dtype = weight.dtype;
            out.elements += weight.elements;
        }
        Node* n = g.node(weights_backward, {edges[0], edges[1], edges[2], edges[3]}, dtype, kGroup);
        if (n != nullptr) std::ranges::copy(sizes, n->size.begin());
        const Edge own = g.edge_to(n);
        out.edge = out.edge.kind == Edge::Kind::none
                       ? own
                       : g.edge_to(g.node(share_backward, {own, out.edge}, dtype, kGroup));
    }
    return out;
}

}  // namespace

Outputs lstm_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    const std::int64_t samples = g.settings().batch;
    const std::int64_t rows = batch.series.elements() / s.features;
    const auto weights = read_weights(p, g, s.layers);
    const Linear head =
        read_linear(p, g, s.hidden, static_cast<std::int64_t>(s.features) * s.horizon, true);
    const Dtype dtype = g.settings().precision == Precision::fp32 ? Dtype::fp32 : Dtype::half;
    const Var input = to(g, batch.series, dtype, kGroup);
    const std::int64_t state = s.layers * samples * s.hidden;
    const Var hidden = g.make(state, dtype, kGroup), cell = g.make(state, dtype, kGroup);
    // Weights are kept flattened in one tensor; autocast flattens a half copy.
    const Var flat = g.make(g.autocast() ? weights.elements : 0, dtype, Group::half_weights);
    if (s.hidden_dropout > 0) g.make_dropout_states();
    const Var by_step = g.make(rows * s.features, dtype, kGroup);
    Var y = g.make(rows * s.hidden, dtype, kGroup);
    const Var last_hidden = g.make(state, dtype, kGroup), last_cell = g.make(state, dtype, kGroup);
    const std::int64_t kept =
        rows * s.hidden * (kKept * s.layers * bytes_of(dtype) + kBetween * (s.layers - 1));
    const Var reserve = g.make(kept, Dtype::boolean, kGroup);
    g.scratch(kWorkspace * rows * s.hidden * bytes_of(dtype), Group::workspace);
    g.count_flops(2.0 * static_cast<double>(rows) * static_cast<double>(weights.elements));
    Node* n = g.node(lstm_backward, {weights.edge}, dtype, kGroup);
    if (n != nullptr) n->size = {rows, s.hidden, s.layers, weights.elements, samples, s.features};
    g.save(n, input);
    g.save(n, hidden);
    g.save(n, cell);
    g.save(n, y);
    g.save(n, reserve);
    g.save(n, flat);
    y = y.alias(y.elements(), g.edge_to(n));
    Outputs out;
    const Var last = slice(g, y, samples * s.hidden);
    const Var prediction = linear(g, last, head, Group::logits);
    out.loss = mse_loss(g, prediction, batch.target);
    return out;
}

}  // namespace plimsoll::training
