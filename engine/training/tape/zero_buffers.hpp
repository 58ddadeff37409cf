#pragma once

#include "engine/training/tape/communication.hpp"
#include "engine/training/tape/sharded_unit.hpp"

#include <vector>

namespace plimsoll::training {

// What DeepSpeed's ZeRO allocates besides the model's own tensors, of the card with the most: its
// bucket and the copy that is sent of it, shards of gradients, masters, and with stage 3 the
// weights that are gathered. As DeepSpeed 0.19 does with contiguous gradients and without
// overlapping (tests/pytorch/zero_steps.py).
class ZeroBuffers : public Communication {
  public:
    ZeroBuffers(Graph& graph, const Layout& layout, const SharedWeights& weights);

    void setup() override;
    void begin_forward() override;
    void end_forward() override;
    void begin_backward() override;
    void end_backward() override;
    void enter(int layer, bool backward) override;
    void arrived(GraphParameter& parameter) override;
    void begin_update() override;
    void end_update() override;
    void zero_gradients() override;

  private:
    using Units = std::vector<ShardedUnit>;

    ShardedUnit& unit(int layer) { return units_[static_cast<std::size_t>(layer + 1)]; }
    bool gathers() const { return layout_.sharding == Sharding::zero3; }
    // Of all weights, some at a time: there are more than may be live.
    bool gathers_in_turn() const { return trains_ && bytes_ > kMaxLive * layout_.compute_bytes; }
    // The running micro-batch ends the step.
    bool is_last() const { return micro_ == graph_.settings().accumulation; }
    std::int64_t bucket_elements() const;
    std::int64_t own_elements() const;
    void fetch(Units::iterator first);
    void release_unused();
    void fill(GraphParameter& parameter);
    void reduce();
    void send_to_host(std::int64_t widest);
    void keep_own();
    void free(BufferId& id);

    Graph& graph_;
    Layout layout_;
    bool trains_;
    Units units_;
    std::vector<std::size_t> embeddings_;  // used once: which of the first unit's parameters
    std::vector<std::int64_t> trained_;    // elements of each trained parameter, in order
    std::int64_t bytes_ = 0;               // of all weights
    std::int64_t trainable_ = 0;
    std::int64_t largest_ = 0;  // trained parameter
    int current_ = -1;
    int micro_ = 0;             // the running micro-batch, from 1
    std::int64_t filled_ = 0;   // elements in the bucket
    std::int64_t widest_ = 0;   // of one gradient in it
    std::vector<int> waiting_;  // larger than the bucket: by the parameter's index
    BufferId bucket_ = kNoBuffer;
    BufferId own_ = kNoBuffer;   // gradients of this card's part, of this backward pass
    BufferId kept_ = kNoBuffer;  // and of those before it
    BufferId arriving_ = kNoBuffer;
    BufferId live_ = kNoBuffer;
    BufferId update_ = kNoBuffer;  // the gradients' shard, as wide as the masters
};

}  // namespace plimsoll::training
