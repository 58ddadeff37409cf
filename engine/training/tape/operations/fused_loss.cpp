#include "engine/training/tape/operations/operations.hpp"

#include <algorithm>
#include <bit>
#include <utility>

// LigerFusedLinearCrossEntropyFunction of liger-kernel 0.8, with its defaults: the logits of some
// rows at a time, whose gradients stand in the same place; the gradients of input and weight are
// made in forward and kept for backward.

namespace plimsoll::training {
namespace {

constexpr auto kLogits = Group::logits;

void hand_out(Graph& g, Node& n) {
    for (int i = 0; i < n.n_next; ++i) {
        const BufferId made = n.saved[static_cast<std::size_t>(i)];
        if (!n.wants(i)) continue;
        g.retain(made);
        Graph::output(n, i, made, i == 0);
    }
}

// Rows of a chunk: as many as let their logits take about what the input takes.
std::int64_t chunk_of(std::int64_t rows, const Linear& head) {
    const std::int64_t parts = (head.out + head.in - 1) / head.in;
    const auto wanted = static_cast<std::uint64_t>((rows + parts - 1) / parts);
    return std::min(static_cast<std::int64_t>(std::bit_ceil(wanted)), rows);
}

// A chunk's sums go into the weight's gradient directly, or by a copy of its size.
void add_to_weight(Graph& g, const Linear& head, std::int64_t rows, Dtype weight) {
    const std::int64_t elements = head.in * head.out;
    const bool half = g.autocast() || weight == Dtype::half;
    if (half && g.device().compute_capability >= 80) {
        if (weight == Dtype::fp32) g.scratch(rows * head.in * 2, kBackward);
        return;
    }
    const BufferId sums = g.allocate(elements * (half ? 2 : 4), kBackward);
    if (half) g.scratch(elements * 4, kBackward);
    g.release(sums);
}

// Autocast converts a weight in fp32: the transposed one again for every chunk, itself once if it
// trains.
void autocast_chunk(Graph& g, const Linear& head, std::int64_t rows, Dtype input) {
    auto& p = g.parameter(head.weight);
    const bool converts = p.dtype == Dtype::fp32;
    const std::int64_t half_weight = converts ? p.elements * 2 : 0;
    BufferId logits = kNoBuffer;
    {
        const BufferId transposed = g.allocate(half_weight, Group::half_weights);
        const BufferId x =
            input == Dtype::fp32 ? g.allocate(rows * head.in * 2, kLogits) : kNoBuffer;
        logits = g.allocate(rows * head.out * 2, kLogits);
        g.release(x);
        g.release(transposed);
    }
    BufferId copy = kNoBuffer;
    if (converts && p.cast == kNoBuffer) {
        copy = g.allocate(half_weight, Group::half_weights);
        if (p.trainable) p.cast = std::exchange(copy, kNoBuffer);
    }
    g.scratch(rows * head.in * 2, kBackward);
    g.release(copy);
    if (p.trainable) add_to_weight(g, head, rows, p.dtype);
    g.release(logits);
}

}  // namespace

Var fused_linear_cross_entropy(Graph& g, const Var& x, const Linear& head) {
    const auto& p = g.parameter(head.weight);
    const std::int64_t rows = x.elements() / head.in;
    const std::int64_t chunk = chunk_of(rows, head);
    const BufferId input_gradient = g.allocate(x.bytes(), kLogits);
    const BufferId weight_gradient =
        p.trainable ? g.allocate(p.elements * bytes_of(p.dtype), kLogits) : kNoBuffer;
    const Var losses = g.make(rows, Dtype::fp32, kLogits);
    const Var counted = g.make(rows, Dtype::boolean, kLogits);
    {
        Var logits;
        if (!g.autocast()) logits = g.make(chunk * head.out, x.dtype(), kLogits);
        for (std::int64_t from = 0; from < rows; from += chunk) {
            const std::int64_t size = std::min(chunk, rows - from);
            g.matmul(2.0 * static_cast<double>(size) * static_cast<double>(p.elements) *
                         (p.trainable ? 3 : 2),
                     false);
            if (g.autocast())
                autocast_chunk(g, head, size, x.dtype());
            else if (p.trainable)
                add_to_weight(g, head, size, p.dtype);
        }
    }
    Var loss = g.make(1, Dtype::fp32, kLogits);
    const Edge weight = p.trainable ? Edge{Edge::Kind::parameter, head.weight, 0} : Edge{};
    Node* n = g.node(hand_out, {x.edge(), weight}, x.dtype(), kLogits);
    if (n != nullptr) {
        g.save(n, input_gradient);
        g.save(n, weight_gradient);
        loss = loss.alias(1, g.edge_to(n));
        g.sealed(n);
    }
    g.release(weight_gradient);
    g.release(input_gradient);
    return loss;
}

}  // namespace plimsoll::training
