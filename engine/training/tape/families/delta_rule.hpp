#pragma once

#include "engine/training/tape/families/layers.hpp"

namespace plimsoll::training {

// The parameters of a gated delta rule in place of attention (Qwen3.5, Qwen3-Next).
struct DeltaRule {
    int convolution = -1;  // -1: the layer has none
    int time_bias = -1, rates = -1, norm = -1;
    Linear qkv, gate, beta, time;  // packed: of q, k, v and the gate, and of beta and the times
    Linear out;
};
DeltaRule read_delta_rule(ParameterCursor& parameters, const Graph& g, const ModelShape& shape);
Var run_delta_rule(Graph& g, const ModelShape& s, const DeltaRule& rule, const Var& x);

}  // namespace plimsoll::training
