#include "engine/training/tape/operations/operations.hpp"

namespace plimsoll::training {
namespace {

// size: elements of the input, the weight's, tokens.
void causal_backward(Graph& g, Node& n) {
    g.scratch(n.size[0] * bytes_of(n.dtype), kBackward);
    for (int i = 0; i < 2; ++i)
        if (n.wants(i))
            Graph::output(
                n, i,
                g.allocate(n.size[static_cast<std::size_t>(i)] * bytes_of(n.dtype), kBackward));
    g.count_flops(4.0 * static_cast<double>(n.size[2]) * static_cast<double>(n.size[1]));
}

}  // namespace

// That of a single text is a view.
Var by_channels(Graph& g, const Var& x, std::int64_t channels) {
    return x.elements() / channels > g.settings().row_length() ? reordered(g, x) : x;
}

// x is converted to the weight's type before autocast converts both. What is padded to the right is
// cut off; the kernel of depthwise convolutions copies what lies in the order of tokens.
Var causal_convolution(Graph& g, const Var& x, int index, std::int64_t channels, Group group) {
    const Var own = parameter(g, index);
    const Var given = to(g, x, own.dtype(), group);
    const Dtype dtype = g.autocast() ? Dtype::half : given.dtype();
    const Var weight = to(g, own, dtype, Group::half_weights);
    const Var input = to(g, given, dtype, group);
    const std::int64_t rows = x.elements() / channels;
    const std::int64_t texts = rows / g.settings().row_length();
    const std::int64_t padded = rows + texts * (own.elements() / channels - 1);
    Var y = g.make(padded * channels, dtype, group);
    g.scratch(input.bytes(), group);
    g.count_flops(2.0 * static_cast<double>(rows) * static_cast<double>(own.elements()));
    Node* n = g.node(causal_backward, {input.edge(), weight.edge()}, dtype, group);
    if (n != nullptr) {
        n->size = {input.elements(), own.elements(), rows};
        g.save(n, input);
        g.save(n, weight);
        y = y.alias(y.elements(), g.edge_to(n));
        g.sealed(n);
    }
    return slice(g, y, x.elements());
}

}  // namespace plimsoll::training
