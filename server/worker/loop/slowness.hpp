#pragma once

#include "server/worker/base/batch.hpp"

#include <map>
#include <string>
#include <vector>

namespace plimsoll::worker {

// What this worker takes for an estimated second of a task, by kind ("word-count:3"). The last
// batch counts half, so that it follows other settings, and other programs on the machine, in a
// few.
class Slowness {
  public:
    // From the tasks of these kinds that are done; merges aside, which are estimated for a host.
    void learn(const Batch& batch, const std::vector<std::string>& kinds);
    const std::map<std::string, double>& by_kind() const { return by_kind_; }

  private:
    std::map<std::string, double> by_kind_;
};

}  // namespace plimsoll::worker
