#pragma once

#include "engine/training/tape/communication.hpp"

#include <vector>

namespace plimsoll::training {

// FSDP2's: the weights of a layer while it runs, its neighbour's ahead of their turn, and the
// shards of gradients (tests/pytorch/fsdp_buffers.py).
class FsdpBuffers : public Communication {
  public:
    FsdpBuffers(Graph& graph, const Layout& layout, const std::vector<Parameter>& parameters);

    void begin_forward() override;
    void begin_backward() override;
    void end_backward() override;
    void enter(int layer, bool backward) override;
    void zero_gradients() override;

  private:
    // What is gathered and reduced at once: a layer, or everything outside the layers.
    struct Unit {
        std::int64_t elements = 0;
        std::vector<int> parameters;
        BufferId gathered = kNoBuffer;  // all shards, as sent by the cards
        std::vector<BufferId> full;     // the weights made of them
        BufferId gradient = kNoBuffer;  // this card's shard
    };

    Unit& unit(int layer) { return units_[static_cast<std::size_t>(layer + 1)]; }
    void gather(Unit& unit);
    void copy_out(Unit& unit, bool backward);
    void reduce(Unit& unit);
    void free(BufferId& id);
    void free(std::vector<BufferId>& ids);

    Graph& graph_;
    Layout layout_;
    std::vector<Unit> units_;  // the first is outside the layers
    int current_ = -1;
    BufferId last_gathered_ = kNoBuffer;
    BufferId last_reduced_ = kNoBuffer;
};

}  // namespace plimsoll::training
