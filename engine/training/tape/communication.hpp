#pragma once

#include "engine/training/models/parameters.hpp"
#include "engine/training/tape/graph.hpp"
#include "engine/training/tape/layout.hpp"
#include "engine/training/tape/zero_buffers.hpp"

#include <optional>
#include <vector>

namespace plimsoll::training {

// What a run on several cards allocates besides the model's own tensors: buckets, gathered weights,
// shards of gradients, ZeRO's buffers. The graph calls it as its code runs; without sharding it
// does nothing.
class Communication {
  public:
    // `parameters` are those of the graph, in its order. Outlives the graph's recording.
    Communication(Graph& graph, const Layout& layout, const std::vector<Parameter>& parameters);

    void setup();          // after the model has been loaded
    void begin_forward();  // of every micro-batch
    void begin_backward();
    void end_backward();
    // From now on, code of this layer runs; -1: code outside the layers.
    void enter(int layer, bool backward);
    // A gradient is complete. May free it, when its shard is all that is kept.
    void arrived(GraphParameter& parameter);
    // Before the optimizer updates its part of the weights, and after.
    void begin_update();
    void end_update();
    void zero_gradients();

  private:
    // What FSDP gathers and reduces at once: a layer, or everything outside the layers.
    struct Unit {
        std::int64_t elements = 0;
        std::vector<int> parameters;
        BufferId gathered = kNoBuffer;  // all shards, as sent by the cards
        std::vector<BufferId> full;     // the weights made of them
        BufferId gradient = kNoBuffer;  // this card's shard
    };

    Unit& unit(int layer) { return units_[static_cast<std::size_t>(layer + 1)]; }
    void make_buckets();
    void gather(Unit& unit);
    void copy_out(Unit& unit, bool backward);
    void reduce(Unit& unit);
    void free(BufferId& id);
    void free(std::vector<BufferId>& ids);

    Graph& graph_;
    Layout layout_;
    std::optional<ZeroBuffers> zero_;
    std::vector<Unit> units_;  // the first is outside the layers
    int current_ = -1;
    BufferId last_gathered_ = kNoBuffer;
    BufferId last_reduced_ = kNoBuffer;
};

}  // namespace plimsoll::training
