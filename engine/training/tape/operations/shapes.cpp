#include "engine/training/tape/operations/operations.hpp"

// Copies, views and matrix products of batches.

namespace plimsoll::training {

BufferId sum_rows(Graph& g, std::int64_t rows, std::int64_t columns, Dtype dtype, Group group) {
    const BufferId out = g.allocate(columns * bytes_of(dtype), group);
    g.scratch_of({.rows = rows, .columns = columns}, Group::backward_temporaries);
    return out;
}

namespace {

constexpr auto kBackward = Group::backward_temporaries;

void pass_view(Graph& g, Node& n) {
    g.retain(n.gradients[0].buffer);
    Graph::output(n, 0, n.gradients[0].buffer, true);
}

void sum_backward(Graph& g, Node& n) {
    Graph::output(n, 0, sum_rows(g, n.size[1] / n.size[0], n.size[0], n.dtype, kBackward));
}

void pass_views(Graph& g, Node& n) {
    for (int i = 0; i < n.n_next; ++i) {
        if (!n.wants(i)) continue;
        g.retain(n.gradients[0].buffer);
        Graph::output(n, i, n.gradients[0].buffer, true);
    }
}

void copy_backward(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward), true);
}

// size: batch, m, k, n. Second operand's gradient first, as the derivative formulas are sorted.
void bmm_backward(Graph& g, Node& n) {
    const double flops = 2.0 * static_cast<double>(n.size[0]) * static_cast<double>(n.size[1]) *
                         static_cast<double>(n.size[2]) * static_cast<double>(n.size[3]);
    const std::int64_t width = bytes_of(n.dtype);
    if (n.wants(1)) {
        Graph::output(n, 1, g.allocate(n.size[0] * n.size[2] * n.size[3] * width, kBackward), true);
        g.matmul(flops, false);
    }
    if (n.wants(0)) {
        Graph::output(n, 0, g.allocate(n.size[0] * n.size[1] * n.size[2] * width, kBackward), true);
        g.matmul(flops, false);
    }
}

void concatenate_backward(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

// Each copy's backward clones the whole gradient and its part of it.
void fill_backward(Graph& g, Node& n) {
    const std::int64_t width = bytes_of(n.dtype);
    const BufferId second = g.allocate((n.size[0] + n.size[1]) * width, kBackward);
    if (n.wants(1)) Graph::output(n, 1, g.allocate(n.size[1] * width, kBackward));
    const BufferId first = g.allocate((n.size[0] + n.size[1]) * width, kBackward);
    g.release(second);
    if (n.wants(0)) Graph::output(n, 0, g.allocate(n.size[0] * width, kBackward));
    g.release(first);
}

void picked_backward(Graph& g, Node& n) {  // of the addend alone; the sum's passes through
    g.retain(n.gradients[0].buffer);
    Graph::output(n, 0, n.gradients[0].buffer, n.gradients[0].view);
    if (n.wants(1)) Graph::output(n, 1, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

}  // namespace

Var pick_rows(Graph& g, const Var& x, std::int64_t elements, Group group) {
    Var y = g.make(elements, x.dtype(), group);
    Node* n = g.node(concatenate_backward, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    return y.alias(elements, g.edge_to(n));
}

Var add_rows(Graph& g, const Var& y, const Var& rows, Group group) {
    Var sum = g.make(y.elements(), y.dtype(), group);
    Node* n = g.node(picked_backward, {y.edge(), rows.edge()}, rows.dtype(), group);
    if (n == nullptr) return sum;
    n->size[0] = rows.elements();
    return sum.alias(sum.elements(), g.edge_to(n));
}

Var reduce(Graph& g, const Var& x, std::int64_t elements, Group group) {
    Var y = g.make(elements, x.dtype(), group);
    Node* n = g.node(pass_view, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    return y.alias(elements, g.edge_to(n));
}

Var gather(Graph& g, const Var& x, std::int64_t elements, const Var& index, Group group) {
    Var y = g.make(elements, x.dtype(), group);
    Node* n = g.node(concatenate_backward, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    g.save(n, x);
    g.save(n, index);
    y = y.alias(elements, g.edge_to(n));
    g.sealed(n);
    return y;
}

Var masked_fill(Graph& g, const Var& x, const Var& mask, bool in_place, Group group) {
    Var y = in_place ? x : g.make(x.elements(), x.dtype(), group);
    Node* n = g.node(concatenate_backward, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    g.save(n, mask);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

Var expand(Graph& g, const Var& x, std::int64_t elements) {
    Node* n = g.node(sum_backward, {x.edge()}, x.dtype(), Group::embedding);
    if (n == nullptr) return x.alias(elements, {});
    n->size = {x.elements(), elements};
    return x.alias(elements, g.edge_to(n));
}

Var copy(Graph& g, const Var& x, bool copies_back, Group group) {
    Var y = g.make(x.elements(), x.dtype(), group);
    Node* n = g.node(copies_back ? copy_backward : pass_view, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    return y.alias(y.elements(), g.edge_to(n));
}

Var reordered(Graph& g, const Var& x) {
    Node* n = g.node(copy_backward, {x.edge()}, x.dtype(), Group::attention);
    if (n == nullptr) return x;
    n->size[0] = x.elements();
    return x.alias(x.elements(), g.edge_to(n));
}

Var bmm(Graph& g, const Var& a, const Var& b, std::int64_t batch, std::int64_t m, std::int64_t k,
        std::int64_t n_columns, Group group) {
    Var y = g.make(batch * m * n_columns, a.dtype(), group);
    g.matmul(2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(k) *
                 static_cast<double>(n_columns),
             false);
    Node* n = g.node(bmm_backward, {a.edge(), b.edge()}, a.dtype(), group);
    if (n == nullptr) return y;
    n->size = {batch, m, k, n_columns};
    if (n->wants(1)) g.save(n, a);
    if (n->wants(0)) g.save(n, b);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

Var slice(Graph& g, const Var& x, std::int64_t elements) {
    Node* n = g.node(concatenate_backward, {x.edge()}, x.dtype(), Group::attention);
    if (n == nullptr) return x.alias(elements, {});
    n->size[0] = x.elements();
    return x.alias(elements, g.edge_to(n));
}

std::vector<Var> split(Graph& g, const Var& x, std::initializer_list<std::int64_t> parts) {
    Node* n = g.node(concatenate_backward, {x.edge()}, x.dtype(), Group::attention);
    if (n != nullptr) n->size[0] = x.elements();
    std::vector<Var> out;
    for (const auto elements : parts)
        out.push_back(x.alias(elements, g.edge_to(n, static_cast<int>(out.size()))));
    return out;
}

std::array<Var, 2> split_at(Graph& g, const Var& x, std::int64_t first) {
    auto parts = split(g, x, {first, x.elements() - first});
    return {std::move(parts[0]), std::move(parts[1])};
}

Var fill(Graph& g, const Var& x, const Var& y) {
    Var both = g.make(x.elements() + y.elements(), x.dtype(), Group::attention);
    Node* n = g.node(fill_backward, {x.edge(), y.edge()}, x.dtype(), Group::attention);
    if (n == nullptr) return both;
    n->size = {x.elements(), y.elements()};
    return both.alias(both.elements(), g.edge_to(n));
}

std::array<Var, 2> split2(Graph& g, const Var& x) { return split_at(g, x, x.elements() / 2); }

std::array<Var, 3> split3(Graph& g, const Var& x) {
    const auto third = x.elements() / 3;
    auto parts = split(g, x, {third, third, third});
    return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
}

Var concatenate(Graph& g, const Var& x, const Var& y, Group group, const Var& z) {
    Var all = g.make(x.elements() + y.elements() + z.elements(), x.dtype(), group);
    Node* n = g.node(pass_views, {x.edge(), y.edge(), z.edge()}, x.dtype(), group);
    if (n == nullptr) return all;
    return all.alias(all.elements(), g.edge_to(n));
}

}  // namespace plimsoll::training
