#include "engine/training/tape/operations/operations.hpp"

// What cards that divide a model send each other within a layer, as torch.distributed.tensor does:
// collectives work on the first dimension, so a batch of several texts is copied around them.

namespace plimsoll::training {
namespace {

BufferId gather(Graph& g, std::int64_t bytes, Group group) {
    const BufferId received = g.allocate(bytes, group);
    if (g.settings().batch == 1) return received;
    const BufferId ordered = g.allocate(bytes, group);
    g.release(received);
    return ordered;
}

BufferId scatter(Graph& g, std::int64_t bytes, Group group) {
    const BufferId ordered = g.allocate(bytes, group);
    const BufferId part = g.allocate(bytes / g.settings().parallel.tensor, group);
    g.release(ordered);
    return part;
}

void gather_backward(Graph& g, Node& n) {
    Graph::output(n, 0, scatter(g, n.size[0] * bytes_of(n.dtype), kBackward), true);
}

void scatter_backward(Graph& g, Node& n) {
    Graph::output(n, 0, gather(g, n.size[0] * bytes_of(n.dtype), kBackward), true);
}

Var exchanged(Graph& g, const Var& x, BufferId made, std::int64_t elements, std::int64_t whole,
              Node::Run backward, Group group) {
    Var y(g, made, elements, x.dtype(), {});
    Node* n = g.node(backward, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = whole;
    return y.alias(elements, g.edge_to(n));
}

}  // namespace

Var gather_text(Graph& g, Var x, Group group) {
    const int cards = g.settings().parallel.tensor;
    if (cards == 1) return x;
    const auto whole = x.elements() * cards;
    return exchanged(g, x, gather(g, whole * bytes_of(x.dtype()), group), whole, whole,
                     gather_backward, group);
}

Var scatter_text(Graph& g, Var x, Group group) {
    const int cards = g.settings().parallel.tensor;
    if (cards == 1) return x;
    return exchanged(g, x, scatter(g, x.bytes(), group), x.elements() / cards, x.elements(),
                     scatter_backward, group);
}

}  // namespace plimsoll::training
