#pragma once

#include "server/queue/worker_store.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace plimsoll::postgres {

// The worker process's open tasks by fence.
class HeldLeases {
  public:
    void add(const queue::Claim& claim);
    // Removes settled tasks, and the lease with its last one.
    void settled(std::int64_t fence, const std::vector<queue::TaskName>& tasks);
    void drop(std::int64_t fence) { open_.erase(fence); }
    void drop_all() { open_.clear(); }

    std::vector<std::int64_t> fences() const;

  private:
    std::map<std::int64_t, std::set<queue::TaskName>> open_;
};

}  // namespace plimsoll::postgres
