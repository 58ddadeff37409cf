#include "server/postgres/workers/held_leases.hpp"

namespace plimsoll::postgres {

void HeldLeases::add(const queue::Claim& claim) {
    for (const queue::ClaimedTask& task : claim.tasks) {
        open_[claim.fence].insert({task.job, task.seq});
    }
}

void HeldLeases::settled(std::int64_t fence, const std::vector<queue::TaskName>& tasks) {
    const auto lease = open_.find(fence);
    if (lease == open_.end()) return;
    for (const queue::TaskName& task : tasks) lease->second.erase(task);
    if (lease->second.empty()) open_.erase(lease);
}

std::vector<std::int64_t> HeldLeases::fences() const {
    std::vector<std::int64_t> fences;
    for (const auto& [fence, tasks] : open_) fences.push_back(fence);
    return fences;
}

}  // namespace plimsoll::postgres
