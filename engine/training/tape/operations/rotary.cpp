#include "engine/training/tape/operations/rotary.hpp"

namespace plimsoll::training {

// Computed in fp32 and converted; one table for the whole batch. Its small matrix product is the
// step's first and so the one that cuBLAS starts with.
RotaryTables rotary_tables(Graph& g, std::int64_t sequence, std::int64_t width, Dtype dtype) {
    constexpr auto group = Group::embedding;
    const Var positions = g.make(sequence, Dtype::fp32, group);
    const Var angles = g.make(sequence * width / 2, Dtype::fp32, group);
    g.matmul(static_cast<double>(sequence * width), false);
    const Var doubled = g.make(sequence * width, Dtype::fp32, group);
    const auto table = [&] {
        const Var raw = g.make(sequence * width, Dtype::fp32, group);
        return g.make(sequence * width, Dtype::fp32, group);  // times the attention scaling
    };
    const Var cosine = table();
    const Var sine = table();
    return {to(g, cosine, dtype, group), to(g, sine, dtype, group), width, false};
}

// x * cos + rotate_half(x) * sin. The tables are not parameters and need no gradient.
Var rotate(Graph& g, const Var& x, const RotaryTables& tables) {
    constexpr auto group = Group::attention;
    const Var straight = multiply(g, x, tables.cosine, group);
    Var turned;
    {
        const Var halves = rotate_half(g, x, group);
        turned = multiply(g, halves, tables.sine, group);
    }
    Var sum = add(g, straight, turned, group);
    return tables.narrows ? to(g, sum, x.dtype(), group) : sum;
}

Var rotate_part(Graph& g, const Var& x, const RotaryTables& tables, std::int64_t head_dim) {
    const std::int64_t turned = x.elements() / head_dim * tables.width;
    // A slice of everything is the tensor itself.
    const Var first = turned == x.elements() ? x : slice(g, x, turned);
    const Var rest = slice(g, x, x.elements() - turned);
    return concatenate(g, rotate(g, first, tables), rest, Group::attention);
}

}  // namespace plimsoll::training
