#include "engine/training/tape/operations/operations.hpp"

namespace plimsoll::training {
namespace {

BufferId gradient(Graph& g, const Node& n, std::int64_t elements) {
    return g.allocate(elements * bytes_of(n.dtype), kBackward);
}

// One new gradient of the input's size.
void fresh_backward(Graph& g, Node& n) { Graph::output(n, 0, gradient(g, n, n.size[0])); }

// An operation with one input that computes one new gradient; saves input, result or neither.
enum class Saves { nothing, input, result };
Var unary(Graph& g, const Var& x, Saves saves, Group group, Node::Run run = fresh_backward) {
    Var y = g.make(x.elements(), x.dtype(), group);
    Node* n = g.node(run, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    if (saves == Saves::input) g.save(n, x);
    if (saves == Saves::result) g.save(n, y);
    y = y.alias(y.elements(), g.edge_to(n));
    if (saves != Saves::nothing) g.sealed(n);
    return y;
}

void pass_backward(Graph& g, Node& n) {
    g.retain(n.gradients[0].buffer);
    Graph::output(n, 0, n.gradients[0].buffer, n.gradients[0].view);
}

// pow(x, number): grad * (number * x^(number - 1)), two temporaries besides the result.
void power_backward(Graph& g, Node& n) {
    const BufferId powered = gradient(g, n, n.size[0]);
    const BufferId scaled = gradient(g, n, n.size[0]);
    Graph::output(n, 0, gradient(g, n, n.size[0]));
    g.release(powered);
    g.release(scaled);
}

// size: elements of the sum, of x, of y; dtype of the sum. saved nothing.
void add_backward(Graph& g, Node& n) {
    for (int i = 0; i < 2; ++i) {
        if (!n.wants(i)) continue;
        const auto at = static_cast<std::size_t>(i);
        const bool narrower = n.size[3 + at] != bytes_of(n.dtype);
        if (n.size[1 + at] < n.size[0]) {
            const auto columns = n.size[1 + at];
            const Dtype dtype = narrower ? Dtype::half : n.dtype;
            Graph::output(n, i, sum_rows(g, n.size[0] / columns, columns, dtype, kBackward));
        } else if (narrower) {
            Graph::output(n, i, g.allocate(n.size[1 + at] * n.size[3 + at], kBackward));
        } else {
            g.retain(n.gradients[0].buffer);
            Graph::output(n, i, n.gradients[0].buffer, n.gradients[0].view);
        }
    }
}

// size: elements of x, of y, bytes of x, of y, kind of broadcast. Full-size gradients first (the
// formulas are sorted by name: "other" before "self"), then what each side needs: a sum, or a
// narrower copy.
void multiply_backward(Graph& g, Node& n) {
    const std::int64_t full = std::max(n.size[0], n.size[1]);
    for (int i = 1; i >= 0; --i)
        if (n.wants(i)) Graph::output(n, i, gradient(g, n, full));
}
void multiply_finish(Graph& g, Node& n) {
    const std::int64_t full = std::max(n.size[0], n.size[1]);
    for (std::size_t i = 0; i < 2; ++i) {
        if (!n.wants(static_cast<int>(i))) continue;
        const BufferId wide = n.outputs[i].buffer;
        BufferId out = wide;
        if (n.size[i] < full) {
            out = n.size[4] == static_cast<int>(Broadcast::over_rows)
                      ? sum_rows(g, full / n.size[i], n.size[i], n.dtype, kBackward)
                      : gradient(g, n, n.size[i]);
        } else if (n.size[2 + i] != bytes_of(n.dtype)) {
            out = g.allocate(full * n.size[2 + i], kBackward);
        }
        if (out != wide) g.release(wide);
        n.outputs[i].buffer = out;
    }
}

void composed_gelu_backward(Graph& g, Node& n) {
    std::array<BufferId, 4> terms{};
    for (auto& term : terms) term = gradient(g, n, n.size[0]);
    Graph::output(n, 0, gradient(g, n, n.size[0]));
    for (const auto term : terms) g.release(term);
}

void softmax_backward(Graph& g, Node& n) {
    Graph::output(n, 0, gradient(g, n, n.size[0]));
    g.scratch(n.size[0] * bytes_of(n.dtype), kBackward);  // grad * output, summed over rows
}

// cat(-x2, x1): the negated half, then each slice's zeros of the full size.
void rotate_backward(Graph& g, Node& n) {
    const BufferId negated = g.allocate(n.size[0] / 2 * bytes_of(n.dtype), kBackward);
    const BufferId second = gradient(g, n, n.size[0]);
    g.release(negated);
    g.scratch(n.size[0] * bytes_of(n.dtype), kBackward);  // the other slice's zeros, added in place
    Graph::output(n, 0, second);
}

Dtype wider(const Var& x, const Var& y) {
    return x.dtype() == Dtype::fp32 || y.dtype() == Dtype::fp32 ? Dtype::fp32 : x.dtype();
}

}  // namespace

Var dropout(Graph& g, const Var& x, double p, Group group) {
    if (p <= 0) return x;
    Var mask = g.make(x.elements(), Dtype::boolean, Group::masks);
    Var y = g.make(x.elements(), x.dtype(), group);
    Node* n = g.node(fresh_backward, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    g.save(n, mask);
    y = y.alias(y.elements(), g.edge_to(n));
    mask.reset();
    g.sealed(n);
    return y;
}

Var add(Graph& g, const Var& x, const Var& y, Group group) {
    const Dtype dtype = wider(x, y);
    Var sum = g.make(std::max(x.elements(), y.elements()), dtype, group);
    Node* n = g.node(add_backward, {x.edge(), y.edge()}, dtype, group);
    if (n == nullptr) return sum;
    n->size = {sum.elements(), x.elements(), y.elements(), bytes_of(x.dtype()),
               bytes_of(y.dtype())};
    return sum.alias(sum.elements(), g.edge_to(n));
}

Var add_in_place(Graph& g, const Var& x, const Var& y) {
    Node* n = g.node(add_backward, {x.edge(), y.edge()}, x.dtype(), Group::attention_scores);
    if (n == nullptr) return x;
    n->size = {x.elements(), x.elements(), y.elements(), bytes_of(x.dtype()), bytes_of(y.dtype())};
    return x.alias(x.elements(), g.edge_to(n));
}

Var scale(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::nothing, group); }

Var shift(Graph& g, const Var& x, Group group) {
    return unary(g, x, Saves::nothing, group, pass_backward);
}

Var power(Graph& g, const Var& x, Group group) {
    const Var input = g.autocast() ? to(g, x, Dtype::fp32, group) : x;
    return unary(g, input, Saves::input, group, power_backward);
}

Var multiply(Graph& g, const Var& x, const Var& y, Group group, Broadcast broadcast) {
    const Dtype dtype = wider(x, y);
    Var product = g.make(std::max(x.elements(), y.elements()), dtype, group);
    Node* n = g.node(multiply_backward, {x.edge(), y.edge()}, dtype, group);
    if (n == nullptr) return product;
    n->size = {x.elements(), y.elements(), bytes_of(x.dtype()), bytes_of(y.dtype()),
               static_cast<int>(broadcast)};
    n->finish = multiply_finish;
    if (n->wants(1)) g.save(n, x);
    if (n->wants(0)) g.save(n, y);
    product = product.alias(product.elements(), g.edge_to(n));
    g.sealed(n);
    return product;
}

Var divide_by_constant(Graph& g, const Var& x, const Var& y, Group group) {
    Var quotient = g.make(x.elements(), wider(x, y), group);
    Node* n = g.node(fresh_backward, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return quotient;
    n->size[0] = x.elements();
    g.save(n, y);
    quotient = quotient.alias(quotient.elements(), g.edge_to(n));
    g.sealed(n);
    return quotient;
}

Var negate(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::nothing, group); }
Var gelu(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::input, group); }
Var composed_gelu(Graph& g, const Var& x, Group group) {
    std::array<BufferId, 3> terms{};
    for (auto& term : terms) term = g.allocate(x.bytes(), group);
    Var y = unary(g, x, Saves::input, group, composed_gelu_backward);
    for (const auto term : terms) g.release(term);
    return y;
}
Var silu(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::input, group); }
Var softplus(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::input, group); }
Var exponential(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::result, group); }
Var relu(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::result, group); }
Var tanh(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::result, group); }

Var sigmoid(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::result, group); }

Var cap(Graph& g, Var x, Group group) {
    x = scale(g, x, group);
    x = tanh(g, x, group);
    return scale(g, x, group);
}

// 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * pow(x, 3)))), operation by operation.
Var gelu_new(Graph& g, const Var& x, Group group) {
    const Var half = scale(g, x, group);
    Var inner = power(g, x, group);
    inner = scale(g, inner, group);
    inner = add(g, x, inner, group);
    inner = scale(g, inner, group);
    inner = tanh(g, inner, group);
    inner = shift(g, inner, group);
    return multiply(g, half, inner, group);
}

Var clamp(Graph& g, const Var& x, Group group) { return unary(g, x, Saves::input, group); }

Var softmax(Graph& g, const Var& x, Group group, bool named_type) {
    const Var input = g.autocast() && !named_type ? to(g, x, Dtype::fp32, group) : x;
    return unary(g, input, Saves::result, group, softmax_backward);
}

Var activate(Graph& g, const Var& x, Activation activation, Group group) {
    switch (activation) {
        case Activation::gelu_new: return gelu_new(g, x, group);
        case Activation::silu: return silu(g, x, group);
        case Activation::relu: return relu(g, x, group);
        case Activation::gelu:
        case Activation::gelu_tanh: break;
    }
    return gelu(g, x, group);
}

Var rotate_half(Graph& g, const Var& x, Group group) {
    const Var negated = g.make(x.elements() / 2, x.dtype(), group);
    return unary(g, x, Saves::nothing, group, rotate_backward);
}

}  // namespace plimsoll::training
