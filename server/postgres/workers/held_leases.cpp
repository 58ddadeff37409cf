#include "server/postgres/workers/held_leases.hpp"

namespace plimsoll::postgres {

void HeldLeases::add(const queue::Claim& claim) {
    for (const queue::ClaimedTask& task : claim.tasks) {
        open_[claim.fence].insert({task.job, task.seq});
    }
}

void HeldLeases::settled(std::int64_t fence, const std::vector<queue::TaskReport>& reports) {
    const auto lease = open_.find(fence);
    if (lease == open_.end()) return;
    for (const queue::TaskReport& report : reports) lease->second.erase({report.job, report.seq});
    if (lease->second.empty()) open_.erase(lease);
}

std::vector<std::int64_t> HeldLeases::fences() const {
    std::vector<std::int64_t> fences;
    for (const auto& [fence, tasks] : open_) fences.push_back(fence);
    return fences;
}

std::vector<HeldLeases::Task> HeldLeases::tasks(std::int64_t fence) const {
    const auto lease = open_.find(fence);
    if (lease == open_.end()) return {};
    return {lease->second.begin(), lease->second.end()};
}

}  // namespace plimsoll::postgres
