#pragma once

#include "server/worker/base/batch.hpp"

#include <map>
#include <string>
#include <vector>

namespace plimsoll::worker {

// Measured seconds per estimated second of this worker, by kind ("kind:3"). An exponential
// average in which the last batch weighs one half, so that it adapts to other settings and to load
// on the machine within a few batches.
class Slowness {
  public:
    // Learns from completed tasks of these kinds, except merge tasks, whose estimates are for a
    // host.
    void learn(const Batch& batch, const std::vector<std::string>& kinds);
    const std::map<std::string, double>& by_kind() const { return by_kind_; }

  private:
    std::map<std::string, double> by_kind_;
};

}  // namespace plimsoll::worker
