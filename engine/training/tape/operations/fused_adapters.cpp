#include "engine/training/tape/operations/operations.hpp"

// axolotl's and unsloth's kernels for LoRA (axolotl 0.19, kernels/lora.py and kernels/swiglu.py):
// one autograd function for a layer and its adapters, which keeps the input in 16 bits and nothing
// of the adapters. That of a gated feed-forward keeps the gate and the upper product, and writes
// their gradients over them.

namespace plimsoll::training {
namespace {

// A 16-bit copy of a packed weight, with its scales; none of a weight that is not packed.
BufferId unpacked(Graph& g, std::int64_t weights, bool packed, Group group) {
    if (!packed) return kNoBuffer;
    if (g.settings().quantization == Quantization::nf4_double)
        g.scratch((weights + 63) / 64 * 4, group);
    return g.allocate(2 * weights, group);
}

// size: rows, in, out, rank, bytes of an adapter's element, whether the weight is packed.
void adapter_gradients(Graph& g, Node& n, int a, int b) {
    const auto [rows, in, out, rank, width, packed] = n.size;
    const BufferId narrow = g.allocate(2 * rows * rank, kBackward);
    if (n.wants(a)) Graph::output(n, a, g.allocate(in * rank * width, kBackward));
    if (n.wants(b)) Graph::output(n, b, g.allocate(out * rank * width, kBackward));
    g.release(narrow);
    g.matmul(2.0 * static_cast<double>(rows * in) * static_cast<double>(out), false);
}

void layer_backward(Graph& g, Node& n) {
    const BufferId weight = unpacked(g, n.size[1] * n.size[2], n.size[5] != 0, kBackward);
    adapter_gradients(g, n, 1, 2);
    if (n.wants(0)) Graph::output(n, 0, g.allocate(2 * n.size[0] * n.size[1], kBackward), true);
    g.release(weight);
}

void gated_backward(Graph& g, Node& n) {
    const BufferId hidden = g.allocate(2 * n.size[0] * n.size[1], kBackward);
    const BufferId weight = unpacked(g, n.size[1] * n.size[2], n.size[5] != 0, kBackward);
    adapter_gradients(g, n, 2, 3);
    g.release(weight);
    for (int i = 0; i < 2; ++i) {
        g.retain(n.saved[static_cast<std::size_t>(i)]);
        Graph::output(n, i, n.saved[static_cast<std::size_t>(i)]);
    }
    g.release(hidden);
}

Var product(Graph& g, std::int64_t rows, const Linear& layer, Group group) {
    Var y = g.make(rows * layer.out, Dtype::half, group);
    const BufferId weight =
        unpacked(g, layer.in * layer.out, g.parameter(layer.weight).quantized, Group::half_weights);
    g.scratch(2 * rows * layer.rank, Group::lora);
    g.matmul(2.0 * static_cast<double>(rows * layer.in) * static_cast<double>(layer.out), false);
    g.release(weight);
    return y;
}

void describe(Graph& g, Node& n, std::int64_t rows, const Linear& layer) {
    n.size = {rows,
              layer.in,
              layer.out,
              layer.rank,
              bytes_of(g.parameter(layer.lora_a).dtype),
              g.parameter(layer.weight).quantized ? 1 : 0};
}

}  // namespace

bool fuses_adapters(Graph& g, const Linear& layer, const Var& x) {
    const auto& p = g.parameter(layer.weight);
    return g.settings().fused_adapters && layer.lora_a >= 0 && x.dtype() == Dtype::half &&
           (p.quantized || p.dtype == Dtype::half);
}

Var fused_linear(Graph& g, const Var& x, const Linear& layer, Group group) {
    const std::int64_t rows = x.elements() / layer.in;
    Var y = product(g, rows, layer, group);
    Node* n =
        g.node(layer_backward,
               {x.edge(), parameter(g, layer.lora_a).edge(), parameter(g, layer.lora_b).edge()},
               Dtype::half, group);
    if (n == nullptr) return y;
    describe(g, *n, rows, layer);
    g.save(n, x);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

Var fused_gated(Graph& g, const Var& gate, const Var& up, const Linear& down, Group group) {
    const std::int64_t rows = up.elements() / down.in;
    Var y;
    {
        const Var hidden = g.make(up.elements(), Dtype::half, group);
        y = product(g, rows, down, group);
    }
    Node* n = g.node(gated_backward,
                     {gate.edge(), up.edge(), parameter(g, down.lora_a).edge(),
                      parameter(g, down.lora_b).edge()},
                     Dtype::half, group);
    if (n == nullptr) return y;
    describe(g, *n, rows, down);
    g.save(n, gate);
    g.save(n, up);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

}  // namespace plimsoll::training
