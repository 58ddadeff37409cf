#include "server/worker/loop/inputs.hpp"

#include "server/jobs/records/slice.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace plimsoll::worker {
namespace {

// Tasks with the same chunk, perhaps of several jobs with different slices.
using Sharing = std::pair<const std::string*, int>;  // the chunk, and its number of slices

void divide(const std::string& chunk, int count, std::vector<queue::ClaimedTask*>& tasks) {
    std::ranges::sort(tasks, {}, [](const auto* task) { return task->slice.index; });
    std::vector<int> indices;
    for (const auto* task : tasks)
        if (indices.empty() || indices.back() != task->slice.index)
            indices.push_back(task->slice.index);
    const auto slices = jobs::cut_slices(chunk, indices, count);
    for (auto* task : tasks) {
        const auto at = std::ranges::lower_bound(indices, task->slice.index) - indices.begin();
        task->input = slices ? (*slices)[static_cast<std::size_t>(at)] : chunk;
    }
}

}  // namespace

void divide_chunks(std::vector<queue::ClaimedTask>& tasks) {
    std::map<Sharing, std::vector<queue::ClaimedTask*>> sharing;
    for (auto& task : tasks)
        if (task.chunk != nullptr) sharing[{task.chunk.get(), task.slice.count}].push_back(&task);
    for (auto& [shared, own] : sharing) {
        const auto& [chunk, count] = shared;
        if (count > 1)
            divide(*chunk, count, own);
        else
            for (auto* task : own) task->input = *chunk;
    }
    for (auto& task : tasks) task.chunk.reset();
}

}  // namespace plimsoll::worker
