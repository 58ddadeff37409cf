#pragma once

#include "engine/training/models/decoder_traits.hpp"
#include "engine/training/tape/operations/operations.hpp"

namespace plimsoll::training {

// Cosines and sines of positions, shared by batch, heads and layers.
struct RotaryTables {
    Var cosine, sine;
    std::int64_t width = 0;  // numbers of a head that are turned
    bool narrows = false;    // what is turned gets its own type back
};

// With `grids`, of places in time, height and width for every text of the batch.
RotaryTables rotary_tables(Graph& g, std::int64_t sequence, std::int64_t width, Dtype dtype,
                           Rotary rotary = Rotary::halves, bool grids = false);

// Each number of the first half twice in succession: tables of the layer that calls it.
RotaryTables spread(Graph& g, const RotaryTables& tables);

// q or k, all of whose numbers are turned.
Var rotate(Graph& g, const Var& x, const RotaryTables& tables);

// The first numbers of every head are turned and joined to the others, even if there are none.
Var rotate_part(Graph& g, const Var& x, const RotaryTables& tables, std::int64_t head_dim);

// Both parts of x apart, turned by tables of half their width, and joined.
Var rotate_chunks(Graph& g, const Var& x, const RotaryTables& tables);

// Pairs as complex numbers in fp32.
Var rotate_complex(Graph& g, const Var& x, const RotaryTables& tables);

}  // namespace plimsoll::training
