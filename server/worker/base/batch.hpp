#pragma once

#include "engine/base/progress.hpp"
#include "server/queue/worker_store.hpp"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::worker {

// A claimed task in this process. The device thread runs it; the loop's thread reads its progress
// and may ask it to stop.
struct TaskSlot {
    queue::ClaimedTask task;
    Progress progress;
    std::stop_source stop;
    jobs::TaskLog log;
    // While it ran, last by itself. The device thread's until it hands the batch back.
    Timestamp began{};
    Timestamp ended{};
};

// Tasks of this priority run before the others of their claim, and are recorded as soon as they are
// done. It is the highest one, used for scoring within a call.
inline constexpr int kUrgentPriority = 10;

// The tasks of one claim: all, only the urgent ones, or only the others. Shared between the
// two threads; `reports` is the device thread's, under its lock, until it hands the batch back, and
// the loop's from then on.
struct Batch {
    queue::WorkerHandle worker;  // the registration it was claimed under; void after a new epoch
    std::int64_t fence = 0;
    Timestamp claimed{};
    std::vector<std::unique_ptr<TaskSlot>> slots;
    std::vector<queue::TaskReport> reports;  // of the tasks that finished
    bool lost = false;       // used by the loop: the lease is gone, drop the results
    bool elsewhere = false;  // of a device class other than the worker's
    bool urgent = false;
    bool overtaken = false;  // used by the device thread: an urgent batch went ahead of it

    // Whether tasks were not run or were stopped: they return to the queue.
    bool has_unfinished() const { return reports.size() < slots.size(); }
};

// All batches that a worker has leased and not yet settled.
using Batches = std::vector<std::shared_ptr<Batch>>;

double estimated_seconds(const Batches& batches);

// The number of claims that the batches come from.
std::size_t count_claims(const Batches& batches);

// Whether a batch holds a task that a worker died on before. It runs alone, so that no other task
// is suspect if a worker dies on it again.
bool has_suspect(const Batches& batches);

// Whether a batch is of another device class: nothing else is claimed with it.
bool is_helping(const Batches& batches);

// Lines of the logs of a batch's tasks that were not recorded yet.
std::vector<queue::TaskLines> unsent_lines(const Batch& batch);

// Puts the reports of a batch in the order of its tasks.
void put_in_order(Batch& batch);

// A job of several tasks, all of which are in a batch and done.
struct WholeJob {
    std::vector<TaskSlot*> slots;
    std::vector<std::string> partials;
    std::size_t last_report = 0;  // place of its last task's report
};
// From a batch whose reports are in order.
std::vector<WholeJob> finished_whole_jobs(const Batch& batch);

// Of several jobs, for a line of the log that each of them can be found by.
std::string ids_of(std::vector<JobId> jobs);

// Per job, without merge tasks.
std::vector<std::pair<JobId, std::int64_t>> items_done(const Batches& batches);

}  // namespace plimsoll::worker
