#include "server/postgres/held_leases.hpp"

namespace plimsoll::postgres {

void HeldLeases::add(const queue::Claim& claim) {
    for (const queue::ClaimedTask& task : claim.tasks) {
        open_[claim.fence][{task.job, task.seq}] = task.attempt;
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
    std::vector<Task> tasks;
    if (const auto lease = open_.find(fence); lease != open_.end()) {
        for (const auto& [task, attempt] : lease->second) tasks.push_back(task);
    }
    return tasks;
}

int HeldLeases::attempt(std::int64_t fence, const queue::TaskReport& report) const {
    const auto lease = open_.find(fence);
    if (lease == open_.end()) return 1;
    const auto task = lease->second.find({report.job, report.seq});
    return task == lease->second.end() ? 1 : task->second;
}

}  // namespace plimsoll::postgres
