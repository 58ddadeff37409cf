#pragma once

#include "engine/training/tape/communication.hpp"
#include "engine/training/tape/sharded_unit.hpp"

#include <vector>

namespace plimsoll::training {

// FSDP2's: the weights of a layer while it runs, its neighbour's ahead of their turn, and the
// shards of gradients (tests/pytorch/fsdp_buffers.py).
class FsdpBuffers : public Communication {
  public:
    FsdpBuffers(Graph& graph, const Layout& layout, const SharedWeights& weights);

    void begin_forward() override;
    void end_forward() override;
    void begin_backward() override;
    void end_backward() override;
    void enter(int layer, bool backward) override;
    void cross_experts(int layer, bool enters, Pass pass) override;
    void zero_gradients() override;
    void reduce_gradients() override;

  private:
    struct Unit : ShardedUnit {
        BufferId gathered = kNoBuffer;  // all shards, as sent by the cards
        BufferId gradient = kNoBuffer;  // this card's shard
        BufferId summed = kNoBuffer;    // likewise, as added up over the replicas
        std::vector<BufferId> wide;     // sums of whole gradients, if not of their own type
    };

    Unit& unit(int layer) { return units_[static_cast<std::size_t>(layer + 1)]; }
    // Weights stay until the backward pass, and where there is none, for ever.
    bool keeps() const { return layout_.sharding == Sharding::fsdp_grad_op; }
    int cards_of(const Unit& unit) const {
        return unit.of_experts ? layout_.expert_cards : layout_.cards;
    }
    bool has_experts() const { return experts_.back().of_experts; }
    void gather(Unit& unit);
    void gather_ahead(int layer);
    void pass_copies(const Unit& unit);
    void copy_out(Unit& unit, bool forward);
    void reduce(Unit& unit);
    void widen(Unit& unit);
    void send_gradients();
    void drop(Unit& unit, BufferId received);
    void free(BufferId& id);

    Graph& graph_;
    Layout layout_;
    bool trained_;
    bool pipelined_;
    int first_layer_;
    std::vector<Unit> units_;
    std::vector<Unit> experts_;  // likewise
    bool by_columns_;            // more cards than experts: shards are parts of every one
    int current_ = -1;
    BufferId last_gathered_ = kNoBuffer;
    BufferId last_reduced_ = kNoBuffer;
};

}  // namespace plimsoll::training
