#include "engine/training/tape/operations/operations.hpp"

namespace plimsoll::training {
namespace {

// size: elements, width. Edges: input, weight, bias.
void layer_norm_backward(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
    const std::int64_t weights = n.size[1] * n.size[2];
    if (n.wants(1)) Graph::output(n, 1, g.allocate(weights, kBackward));
    if (n.wants(2)) Graph::output(n, 2, g.allocate(weights, kBackward));
    if (!n.wants(0)) {
        g.release(n.outputs[0].buffer);
        n.outputs[0] = {};
    }
    if (n.wants(1))
        g.scratch_of(
            {.kind = Reduction::Kind::norm, .rows = n.size[0] / n.size[1], .columns = n.size[1]},
            kBackward);
}

void row_mean_backward(Graph& g, Node& n) {  // the mean's gradient spread over the row
    Graph::output(n, 0, g.allocate(n.size[0] * 4, kBackward));
}

void rsqrt_backward(Graph& g, Node& n) {  // -0.5 * grad * result^3
    const BufferId cube = g.allocate(n.size[0] * 4, kBackward);
    const BufferId scaled = g.allocate(n.size[0] * 4, kBackward);
    Graph::output(n, 0, g.allocate(n.size[0] * 4, kBackward));
    g.release(cube);
    g.release(scaled);
}

Var row_mean(Graph& g, const Var& x, std::int64_t rows) {
    Var y = g.make(rows, Dtype::fp32, Group::norms);
    Node* n = g.node(row_mean_backward, {x.edge()}, Dtype::fp32, Group::norms);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    return y.alias(rows, g.edge_to(n));
}

Var reciprocal_root(Graph& g, const Var& x) {
    Var y = g.make(x.elements(), Dtype::fp32, Group::norms);
    Node* n = g.node(rsqrt_backward, {x.edge()}, Dtype::fp32, Group::norms);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    g.save(n, y);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

Edge edge_of(Graph& g, int index) {
    if (index < 0) return {};
    return g.parameter(index).trainable ? Edge{Edge::Kind::parameter, index, 0} : Edge{};
}

}  // namespace

Var layer_norm(Graph& g, const Var& x, const Norm& norm, Group group) {
    const Var input = g.autocast() ? to(g, x, Dtype::fp32, group) : x;
    const std::int64_t rows = input.elements() / norm.width;
    Var y = g.make(input.elements(), input.dtype(), group);
    const Var mean = g.make(rows, Dtype::fp32, group);
    const Var rstd = g.make(rows, Dtype::fp32, group);
    Node* n =
        g.node(layer_norm_backward, {input.edge(), edge_of(g, norm.weight), edge_of(g, norm.bias)},
               input.dtype(), group);
    if (n == nullptr) return y;
    n->size = {input.elements(), norm.width, bytes_of(g.parameter(norm.weight).dtype)};
    g.save(n, input);
    g.save(n, mean);
    g.save(n, rstd);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

Var parameter(Graph& g, int index) {
    const auto& p = g.parameter(index);
    g.retain(p.data);
    return {g, p.data, p.elements, p.dtype, edge_of(g, index)};
}

namespace {

// x * rsqrt(mean(x^2) + eps) in fp32. Gemma 4 writes the root as a power, which keeps its input.
Var normalised(Graph& g, const Var& x, std::int64_t width, bool by_power = false) {
    constexpr auto group = Group::norms;
    const Var wide = to(g, x, Dtype::fp32, group);
    const Var variance = row_mean(g, power(g, wide, group), x.elements() / width);
    const Var shifted = shift(g, variance, group);
    return multiply(g, wide, by_power ? power(g, shifted, group) : reciprocal_root(g, shifted),
                    group, Broadcast::over_columns);
}

}  // namespace

Var power_rms_norm(Graph& g, const Var& x, int weight, std::int64_t width) {
    constexpr auto group = Group::norms;
    Var y = normalised(g, x, width, true);
    if (weight >= 0)
        y = multiply(g, y, to(g, parameter(g, weight), Dtype::fp32, Group::half_weights), group,
                     Broadcast::over_rows);
    return to(g, y, x.dtype(), group);
}

Var t5_norm(Graph& g, const Var& x, int weight, std::int64_t width) {
    constexpr auto group = Group::norms;
    Var root;
    {
        const Var wide = to(g, x, Dtype::fp32, group);
        const Var variance = row_mean(g, power(g, wide, group), x.elements() / width);
        root = reciprocal_root(g, shift(g, variance, group));
    }
    Var y = multiply(g, x, root, group, Broadcast::over_columns);
    y = to(g, y, g.parameter(weight).dtype, group);
    return multiply(g, parameter(g, weight), y, group, Broadcast::over_rows);
}

// transformers' Python norm: weight * (x * rsqrt(mean(x^2) + eps)).to(dtype of x)
Var rms_norm(Graph& g, const Var& x, int weight, std::int64_t width) {
    constexpr auto group = Group::norms;
    const Var wide = normalised(g, x, width);
    return multiply(g, parameter(g, weight), to(g, wide, x.dtype(), group), group,
                    Broadcast::over_rows);
}

Var unit_length(Graph& g, const Var& x, std::int64_t width) {
    return to(g, normalised(g, x, width), x.dtype(), Group::norms);
}

Var wide_rms_norm(Graph& g, const Var& x, int weight, std::int64_t width) {
    constexpr auto group = Group::norms;
    const Var wide = normalised(g, x, width);
    return to(g, multiply(g, parameter(g, weight), wide, group, Broadcast::over_rows), x.dtype(),
              group);
}

Var unit_rms_norm(Graph& g, const Var& x, int weight, std::int64_t width) {
    constexpr auto group = Group::norms;
    Var y = normalised(g, x, width);
    const Var factor = shift(g, to(g, parameter(g, weight), Dtype::fp32, group), group);
    y = multiply(g, y, factor, group, Broadcast::over_rows);
    return to(g, y, x.dtype(), group);
}

}  // namespace plimsoll::training
