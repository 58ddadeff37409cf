#include "server/worker/device/task_groups.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace plimsoll::worker {
namespace {

using Key = std::tuple<std::string, int, std::string>;

// The last text is empty where the task runs alone.
Key key_of(const queue::ClaimedTask& task, const FindRun& find_run) {
    if (task.merge || task.attempt > 1) return {};
    const auto* run = find_run(task.kind, task.kind_version);
    if (run == nullptr || run->shared_key == nullptr) return {};
    const auto& args = task.args.parsed(*run);
    if (!args) return {};
    return {task.kind, task.kind_version, run->shared_key(*args)};
}

}  // namespace

std::vector<std::vector<TaskSlot*>> groups_of(const Batch& batch, const FindRun& find_run) {
    std::vector<std::vector<TaskSlot*>> groups;
    std::map<Key, std::size_t> known;
    JobId job;  // most claims have tasks of few jobs, one after the other
    Key key;
    for (const auto& slot : batch.slots) {
        const auto& task = slot->task;
        if (task.job != job || task.merge || task.attempt > 1) key = key_of(task, find_run);
        job = task.merge || task.attempt > 1 ? JobId{} : task.job;
        const bool alone = std::get<2>(key).empty();
        const auto [found, added] =
            alone ? std::pair{known.end(), true} : known.try_emplace(key, groups.size());
        if (added) groups.emplace_back();
        (alone ? groups.back() : groups[found->second]).push_back(slot.get());
    }
    return groups;
}

void put_in_order(Batch& batch) {
    std::map<std::pair<std::int64_t, int>, std::size_t> places;
    for (const auto& slot : batch.slots) {
        places.emplace(std::pair{slot->task.job.value, slot->task.seq}, places.size());
    }
    std::ranges::sort(batch.reports, {}, [&](const queue::TaskReport& report) {
        return places.at({report.job.value, report.seq});
    });
}

}  // namespace plimsoll::worker
