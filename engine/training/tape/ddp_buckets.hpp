#pragma once

#include "engine/training/tape/communication.hpp"

namespace plimsoll::training {

// DistributedDataParallel's: whole gradients go into a bucket, in the order in which backward makes
// them, until it is full.
class DdpBuckets : public Communication {
  public:
    explicit DdpBuckets(Graph& graph) : graph_(graph) {}
    void setup() override;

  private:
    Graph& graph_;
};

}  // namespace plimsoll::training
