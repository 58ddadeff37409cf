#pragma once

#include "engine/training/tape/communication.hpp"

namespace plimsoll::training {

// DistributedDataParallel's: whole gradients go into a bucket, in the order in which backward makes
// them, until it is full. Before that, the first card's weights are sent to the others.
class DdpBuckets : public Communication {
  public:
    explicit DdpBuckets(Graph& graph) : graph_(graph) {}
    void setup() override;

  private:
    void send_weights();

    Graph& graph_;
};

}  // namespace plimsoll::training
