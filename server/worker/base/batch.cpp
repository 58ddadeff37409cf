#include "server/worker/base/batch.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace plimsoll::worker {

double estimated_seconds(const Batches& batches) {
    double seconds = 0;
    for (const auto& batch : batches) {
        for (const auto& slot : batch->slots) seconds += slot->task.estimated_seconds;
    }
    return seconds;
}

std::size_t count_claims(const Batches& batches) {
    std::set<std::int64_t> fences;
    for (const auto& batch : batches) fences.insert(batch->fence);
    return fences.size();
}

bool has_suspect(const Batches& batches) {
    return std::ranges::any_of(batches, [](const auto& batch) {
        return std::ranges::any_of(batch->slots,
                                   [](const auto& slot) { return slot->task.attempt > 1; });
    });
}

bool is_helping(const Batches& batches) {
    return std::ranges::any_of(batches, [](const auto& batch) { return batch->elsewhere; });
}

std::vector<queue::TaskLines> unsent_lines(const Batch& batch) {
    std::vector<queue::TaskLines> said;
    for (const auto& slot : batch.slots) {
        auto lines = slot->log.unsent();
        if (!lines.empty()) said.push_back({slot->task.job, slot->task.seq, std::move(lines)});
    }
    return said;
}

std::vector<std::pair<JobId, std::int64_t>> items_done(const Batches& batches) {
    std::map<JobId, std::int64_t> done;
    for (const auto& batch : batches) {
        for (const auto& slot : batch->slots) {
            if (!slot->task.merge) done[slot->task.job] += slot->progress.done();
        }
    }
    return {done.begin(), done.end()};
}

}  // namespace plimsoll::worker
