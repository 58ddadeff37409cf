#include "engine/training/tape/families/experts.hpp"

// Experts that several cards divide, as torchtitan 0.2 computes them: tokens are sent to the cards
// of their experts, sorted there, multiplied in 16 bits, and sent back. As many arrive as are sent,
// if all experts are used evenly.

namespace plimsoll::training {
namespace {

constexpr auto kGroup = Group::experts;

void pass_on(Graph& g, Node& n) {
    g.retain(n.gradients[0].buffer);
    Graph::output(n, 0, n.gradients[0].buffer, n.gradients[0].view);
}

// FSDP's unit of the experts begins where their input's gradient leaves it, and ends likewise.
void left_backward(Graph& g, Node& n) {
    pass_on(g, n);
    g.cross_experts(false, true);
}

void entered_backward(Graph& g, Node& n) {
    g.cross_experts(true, true);
    pass_on(g, n);
}

Var crossed(Graph& g, const Var& x, bool enters) {
    g.cross_experts(enters, false);
    Node* n = g.node(enters ? left_backward : entered_backward, {x.edge()}, x.dtype(), kGroup);
    return n == nullptr ? x : x.alias(x.elements(), g.edge_to(n));
}

void fresh_backward(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

// Rows that are sent for as many that arrive, or are put where an index says, which the derivative
// needs to pick them again.
Var moved(Graph& g, const Var& x, std::int64_t elements, const Var& index = {}) {
    Var y = g.make(elements, x.dtype(), kGroup);
    Node* n = g.node(fresh_backward, {x.edge()}, x.dtype(), kGroup);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    if (index) g.save(n, index);
    y = y.alias(elements, g.edge_to(n));
    if (index) g.sealed(n);
    return y;
}

struct Routing {
    Var gates, experts;  // of every token's experts
};

Routing route(Graph& g, const ModelShape& s, const Experts& experts, const Var& x) {
    const std::int64_t rows = x.elements() / s.hidden;
    const std::int64_t chosen = rows * s.experts_per_row;
    const bool sigmoids = s.traits().router == Router::sigmoid;
    Var scores = linear(g, x, {.weight = experts.router, .in = s.hidden, .out = s.experts}, kGroup);
    scores = to(g, scores, Dtype::fp32, kGroup);
    scores = sigmoids ? sigmoid(g, scores, kGroup) : softmax(g, scores, kGroup, true);
    const Var corrected = g.make(scores.elements(), Dtype::fp32, kGroup);
    const Var largest = g.make(chosen, Dtype::fp32, kGroup);
    Routing r;
    r.experts = g.make(chosen, Dtype::int64, kGroup);
    r.gates = gather(g, scores, chosen, r.experts, kGroup);
    // Granite's softmax of the chosen is what torchtitan divides by its sum.
    if (s.normalised_routing || s.traits().router == Router::chosen) {
        const Var sum = reduce(g, r.gates, rows, kGroup);
        r.gates = multiply(g, r.gates, shift(g, sum, kGroup), kGroup, Broadcast::over_columns);
    }
    r.gates = scale(g, r.gates, kGroup);
    return r;
}

// A card's own part of a weight, whose gradient waits until those of all experts' products are
// made.
Var own_part(Graph& g, int weight) {
    const Var w = parameter(g, weight);
    Node* n = g.node(pass_on, {w.edge()}, w.dtype(), kGroup);
    return n == nullptr ? w : w.alias(w.elements(), g.edge_to(n));
}

Var multiplied(Graph& g, const ModelShape& s, const Experts& experts, const Var& x) {
    const std::int64_t width = s.expert_hidden;
    const Var gate = own_part(g, experts.gate_up), down = own_part(g, experts.down),
              up = own_part(g, experts.up);
    const Var offsets = g.make(s.experts / s.expert_cards, Dtype::fp32, kGroup);  // int32
    Var y = silu(g, grouped_product(g, x, gate, s.hidden, width, offsets), kGroup);
    y = multiply(g, y, grouped_product(g, x, up, s.hidden, width, offsets), kGroup);
    return grouped_product(g, y, down, width, s.hidden, offsets);
}

// Every expert's rows are padded to a multiple of eight.
Var received(Graph& g, const ModelShape& s, const Experts& experts, const Var& x) {
    constexpr std::int64_t aligned = 8;
    const std::int64_t own = s.experts / s.expert_cards;
    const std::int64_t rows = x.elements() / s.hidden;
    const std::int64_t padded = (rows + own * aligned + aligned - 1) / aligned * aligned;
    const Var places = g.make(padded, Dtype::fp32, kGroup);  // int32
    Var sorted;
    {
        const Var arrived = moved(g, x, x.elements());
        const Var zero = g.make(s.hidden, x.dtype(), kGroup);
        const Var all = concatenate(g, arrived, zero, kGroup);
        sorted = pick(g, all, padded * s.hidden, places);
    }
    const Var y = multiplied(g, s, experts, sorted);
    const Var unsorted = moved(g, y, (rows + 1) * s.hidden, places);
    return moved(g, slice(g, unsorted, x.elements()), x.elements());
}

}  // namespace

Var run_divided_experts(Graph& g, const ModelShape& s, const Experts& experts, const Var& x) {
    const std::int64_t pairs = x.elements() / s.hidden * s.experts_per_row;
    const Routing routing = route(g, s, experts, x);
    g.scratch(8 * pairs, kGroup);
    const Var order = g.make(pairs, Dtype::int64, kGroup);
    const Var sorted = g.make(pairs, Dtype::fp32, kGroup);  // gates, of which nothing comes
    Var input;
    {
        const Var tokens = g.make(pairs, Dtype::int64, kGroup);
        input = pick(g, x, pairs * s.hidden, tokens);
    }
    const Var back = crossed(g, received(g, s, experts, crossed(g, input, true)), false);
    Var shared;
    if (s.shared_expert_hidden > 0) shared = gated_feed_forward(g, experts.shared, x, s.activation);
    const Var unsorted = moved(g, back, back.elements(), order);
    Var y;
    {
        const Var wide = to(g, unsorted, Dtype::fp32, kGroup);
        y = bmm(g, routing.gates, wide, x.elements() / s.hidden, 1, s.experts_per_row, s.hidden,
                kGroup);
    }
    y = to(g, y, x.dtype(), kGroup);
    return shared ? add(g, shared, y, kGroup) : y;
}

}  // namespace plimsoll::training
