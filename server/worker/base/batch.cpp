#include "server/worker/base/batch.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace plimsoll::worker {

double estimated_seconds(const Batches& batches) {
    double seconds = 0;
    for (const auto& batch : batches)
        for (const auto& slot : batch->slots) seconds += slot->task.estimated_seconds;
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

void put_in_order(Batch& batch) {
    std::map<std::pair<std::int64_t, int>, std::size_t> places;
    for (const auto& slot : batch.slots)
        places.emplace(std::pair{slot->task.job.value, slot->task.seq}, places.size());
    std::ranges::sort(batch.reports, {}, [&](const queue::TaskReport& report) {
        return places.at({report.job.value, report.seq});
    });
}

std::vector<WholeJob> finished_whole_jobs(const Batch& batch) {
    std::vector<WholeJob> jobs;
    auto report = batch.reports.begin();
    for (auto slot = batch.slots.begin(); slot != batch.slots.end();) {
        WholeJob job;
        const auto& task = (*slot)->task;
        const auto count = std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(task.whole), 1);
        for (const auto end = slot + count; slot != end; ++slot) {
            job.slots.push_back(slot->get());
            if (report == batch.reports.end() || report->job != task.job ||
                report->seq != (*slot)->task.seq) {
                continue;
            }
            if (task.whole > 1 && report->outcome == queue::TaskReport::Outcome::done)
                job.partials.push_back(report->output.partial);
            job.last_report = static_cast<std::size_t>(report - batch.reports.begin());
            ++report;
        }
        if (task.whole > 1 && job.partials.size() == task.whole) jobs.push_back(std::move(job));
    }
    return jobs;
}

std::string ids_of(std::vector<JobId> jobs) {
    std::ranges::sort(jobs);
    const auto repeated = std::ranges::unique(jobs);
    jobs.erase(repeated.begin(), repeated.end());
    std::string ids;
    for (const auto job : jobs) ids += (ids.empty() ? "" : ",") + to_public(job);
    return ids;
}

std::vector<std::pair<JobId, std::int64_t>> items_done(const Batches& batches) {
    std::map<JobId, std::int64_t> done;
    for (const auto& batch : batches) {
        for (const auto& slot : batch->slots)
            if (!slot->task.merge) done[slot->task.job] += slot->progress.done();
    }
    return {done.begin(), done.end()};
}

}  // namespace plimsoll::worker
