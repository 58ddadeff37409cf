#include "server/worker/loop/slowness.hpp"

#include <algorithm>

namespace plimsoll::worker {

void Slowness::learn(const Batch& batch, const std::vector<std::string>& kinds) {
    struct Sum {
        double estimated = 0;
        double taken = 0;
    };
    std::map<std::string, Sum> sums;
    // Most of the thousand tasks of a batch have the same kind: look one up only when it changes.
    const queue::ClaimedTask* last = nullptr;
    Sum* sum = nullptr;
    auto report = batch.reports.begin();
    for (const auto& slot : batch.slots) {  // reports are in their order
        const auto& task = slot->task;
        if (report == batch.reports.end()) break;
        if (report->job != task.job || report->seq != task.seq) continue;
        if (last == nullptr || last->kind != task.kind || last->kind_version != task.kind_version) {
            const auto kind = task.kind + ":" + std::to_string(task.kind_version);
            sum = std::ranges::find(kinds, kind) == kinds.end() ? nullptr : &sums[kind];
            last = &task;
        }
        if (sum != nullptr && !task.merge && report->outcome == queue::TaskReport::Outcome::done) {
            sum->estimated += task.estimated_seconds;
            sum->taken += report->device_seconds;
        }
        ++report;
    }
    for (const auto& [kind, of] : sums) {
        if (of.estimated <= 0) continue;
        const double now = of.taken / of.estimated;
        const auto [known, is_new] = by_kind_.try_emplace(kind, now);
        if (!is_new) known->second = (known->second + now) / 2;
    }
}

}  // namespace plimsoll::worker
