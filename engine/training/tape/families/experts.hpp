#pragma once

#include "engine/training/tape/families/layers.hpp"

namespace plimsoll::training {

// A feed-forward of gate, up and down.
struct GatedLinear {
    Linear gate, up, down;
};
GatedLinear read_gated(ParameterCursor& parameters, const Graph& g, const ModelShape& shape,
                       std::int64_t width);
Var gated_feed_forward(Graph& g, const GatedLinear& layer, const Var& x, Activation activation);

// A mixture of experts as computed by transformers 5: rows sorted by expert, one grouped product
// for all. Its sizes do not depend on the routing.
struct Experts {
    int router = -1, gate_up = -1, down = -1;
    int up = -1;  // where it is apart from the gate
    int router_bias = -1, gate_up_bias = -1, down_bias = -1;
    GatedLinear
        shared;  // the expert that every token uses, weighted by a gate of one number or not
    Linear shared_gate;
    // Of a mixture beside a feed-forward.
    Linear projection;
    int input_scale = -1, expert_scale = -1;
    int after_dense = -1, after = -1, before = -1;  // norms
};
Experts read_experts_beside(ParameterCursor& parameters, const Graph& g, const ModelShape& shape);
// What they add to a layer whose feed-forward reads x, too.
Var run_experts_beside(Graph& g, const ModelShape& s, const Experts& experts, const Var& x);
Experts read_experts(ParameterCursor& parameters, const Graph& g, const ModelShape& shape);
// Rows of x by an index that the derivative keeps.
Var pick(Graph& g, const Var& x, std::int64_t elements, const Var& index);
// A product of every expert's rows, which end at `offsets`, with its weight.
Var grouped_product(Graph& g, const Var& x, const Var& weight, std::int64_t in, std::int64_t out,
                    const Var& offsets);
// Likewise, of a card that has some of the experts.
Var run_divided_experts(Graph& g, const ModelShape& s, const Experts& experts, const Var& x);
// `routers` receives the router's logits.
Var run_experts(Graph& g, const ModelShape& s, const Experts& experts, const Var& x,
                std::vector<Var>& routers);

// The loss of the routers, of every layer's logits (load_balancing_loss_func).
Var router_loss(Graph& g, const ModelShape& s, const std::vector<Var>& routers);
// The model's loss with a share of it.
Var with_router_loss(Graph& g, const Var& loss, const Var& of_routers);

}  // namespace plimsoll::training
