#pragma once

#include "engine/training/models/parameters.hpp"
#include "engine/training/tape/graph.hpp"
#include "engine/training/tape/layout.hpp"

#include <memory>
#include <vector>

namespace plimsoll::training {

// What a run on several cards allocates besides the model's own tensors: buckets, gathered weights,
// shards of gradients. The graph calls it as its code runs. This one shards nothing.
class Communication {
  public:
    Communication() = default;
    virtual ~Communication() = default;
    Communication(const Communication&) = delete;
    Communication& operator=(const Communication&) = delete;

    virtual void setup() {}          // after the model has been loaded
    virtual void begin_forward() {}  // of every micro-batch
    virtual void begin_backward() {}
    virtual void end_backward() {}
    // From now on, code of this layer runs; -1: code outside the layers.
    virtual void enter(int /*layer*/, bool /*backward*/) {}
    // A gradient is complete. May free it, when its shard is all that is kept.
    virtual void arrived(GraphParameter& /*parameter*/) {}
    // Before the optimizer updates its part of the weights, and after.
    virtual void begin_update() {}
    virtual void end_update() {}
    virtual void zero_gradients() {}
};

// `parameters` are those of the graph, in its order, which outlives what is returned. `tied`: the
// embeddings are used again.
std::unique_ptr<Communication> make_communication(Graph& graph, const Layout& layout,
                                                  const std::vector<Parameter>& parameters,
                                                  bool tied = false);

}  // namespace plimsoll::training
