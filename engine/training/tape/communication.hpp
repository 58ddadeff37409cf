#pragma once

#include "engine/training/models/parameters.hpp"
#include "engine/training/tape/graph.hpp"
#include "engine/training/tape/layout.hpp"

#include <memory>
#include <vector>

namespace plimsoll::training {

// In which pass code runs: a checkpoint's second forward pass is part of the backward pass.
enum class Pass { forward, again, backward };

// What a run on several cards allocates besides the model's own tensors: buckets, gathered weights,
// shards of gradients. The graph calls it as its code runs. This one shards nothing.
class Communication {
  public:
    Communication() = default;
    virtual ~Communication() = default;
    Communication(const Communication&) = delete;
    Communication& operator=(const Communication&) = delete;

    virtual void setup() {}          // after the model has been loaded
    virtual void begin_forward() {}  // of every pass
    virtual void end_forward() {}
    virtual void begin_backward() {}
    virtual void end_backward() {}
    // From now on, code of this layer runs; -1: code outside the layers.
    virtual void enter(int /*layer*/, bool /*backward*/) {}
    // Likewise, of the layer's experts, or no longer.
    virtual void cross_experts(int /*layer*/, bool /*enters*/, Pass /*pass*/) {}
    // A gradient is complete. May free it, when its shard is all that is kept.
    virtual void arrived(GraphParameter& /*parameter*/) {}
    // Before the optimizer updates its part of the weights, and after.
    virtual void begin_update() {}
    virtual void end_update() {}
    virtual void zero_gradients() {}
    // Of all micro-batches of a pipeline, where they were added up until now.
    virtual void reduce_gradients() {}
};

// A model's weights, as cards share them.
struct SharedWeights {
    const std::vector<Parameter>& parameters;  // in the graph's order
    int begin = 0;                             // the graph's first of them
    bool tied = false;                         // the embeddings are used again
    bool trained = true;                       // else there are forward passes alone
    bool pipelined = false;  // gradients are sent after the last of a pipeline's micro-batches
    int first_layer = 0;     // the number of their first layer
    int experts = 0;         // in a layer, on all cards
};

// The graph outlives what is returned.
std::unique_ptr<Communication> make_communication(Graph& graph, const Layout& layout,
                                                  const SharedWeights& weights);

}  // namespace plimsoll::training
