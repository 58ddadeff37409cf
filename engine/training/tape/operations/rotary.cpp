#include "engine/training/tape/operations/rotary.hpp"

namespace plimsoll::training {
namespace {

constexpr auto kTables = Group::embedding;

RotaryTables grid_tables(Graph& g, std::int64_t width, Dtype dtype) {
    const std::int64_t tokens = g.settings().batch * g.settings().sequence;
    const Var positions = g.make(3 * tokens, Dtype::fp32, kTables);
    const Var angles = g.make(3 * tokens * width / 2, Dtype::fp32, kTables);
    g.matmul(static_cast<double>(3 * tokens * width), false);
    const auto table = [&] {
        const Var raw = g.make(angles.elements(), Dtype::fp32, kTables);
        return g.make(angles.elements(), Dtype::fp32, kTables);
    };
    Var cosine = table(), sine = table();
    sine = g.make(tokens * width, Dtype::fp32, kTables);
    cosine = g.make(tokens * width, Dtype::fp32, kTables);
    return {to(g, cosine, dtype, kTables), to(g, sine, dtype, kTables), width, false};
}

}  // namespace

// Computed in fp32 and converted; one table for the whole batch. Its small matrix product is the
// step's first and so the one that cuBLAS starts with.
RotaryTables rotary_tables(Graph& g, std::int64_t sequence, std::int64_t width, Dtype dtype,
                           Rotary rotary, bool grids) {
    if (grids) return grid_tables(g, width, dtype);
    const Var positions = g.make(sequence, Dtype::fp32, kTables);
    const Var angles = g.make(sequence * width / 2, Dtype::fp32, kTables);
    g.matmul(static_cast<double>(sequence * width), false);
    // Numbers that lie apart share their angle; a complex number has both tables.
    const bool halved = rotary == Rotary::chunks;
    const std::int64_t elements = sequence * (halved ? width / 2 : width);
    if (rotary == Rotary::complex) {
        const Var ones = g.make(sequence * width / 2, Dtype::fp32, kTables);
        const Var raw = g.make(elements, Dtype::fp32, kTables);
        return {g.make(elements, Dtype::fp32, kTables), {}, width, false};
    }
    const Var doubled = halved ? Var() : g.make(elements, Dtype::fp32, kTables);
    const auto table = [&] {
        const Var raw = g.make(elements, Dtype::fp32, kTables);
        return g.make(elements, Dtype::fp32, kTables);  // times the attention scaling
    };
    const Var cosine = table();
    const Var sine = table();
    return {to(g, cosine, dtype, kTables), to(g, sine, dtype, kTables), width, false};
}

RotaryTables spread(Graph& g, const RotaryTables& tables) {
    RotaryTables own = tables;
    for (Var* table : {&own.cosine, &own.sine})
        *table = g.make(table->elements(), table->dtype(), Group::attention);
    return own;
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
    const Var moved = rotate(g, first, tables);
    return concatenate(g, moved, to(g, rest, moved.dtype(), Group::attention), Group::attention);
}

Var rotate_chunks(Graph& g, const Var& x, const RotaryTables& tables) {
    constexpr auto group = Group::attention;
    const auto [first, second] = split2(g, x);
    const auto turned = [&](const Var& straight, const Var& across) {
        const Var y = multiply(g, straight, tables.cosine, group);
        return add(g, y, multiply(g, across, tables.sine, group), group);
    };
    const Var upper = turned(first, second);
    return concatenate(g, upper, turned(second, first), group);
}

Var rotate_complex(Graph& g, const Var& x, const RotaryTables& tables) {
    constexpr auto group = Group::attention;
    const Var wide = to(g, x, Dtype::fp32, group);
    return to(g, multiply(g, wide, tables.cosine, group), x.dtype(), group);
}

}  // namespace plimsoll::training
