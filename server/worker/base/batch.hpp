#pragma once

#include "engine/base/progress.hpp"
#include "server/queue/worker_store.hpp"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace plimsoll::worker {

// A claimed task while this process has it. The device thread runs it, the loop's thread looks at
// its progress and may ask it to stop.
struct TaskSlot {
    queue::ClaimedTask task;
    Progress progress;
    std::stop_source stop;
};

// The tasks of one claim. Shared between the two threads; `reports` is the device thread's, under
// its lock, until it hands the batch back, and the loop's from then on.
struct Batch {
    queue::WorkerHandle worker;  // as which it was claimed: its epoch does not outlive a new one
    std::int64_t fence = 0;
    std::vector<std::unique_ptr<TaskSlot>> slots;
    std::vector<queue::TaskReport> reports;  // of the tasks that ran to an end
    bool lost = false;                       // the loop's: its lease is gone, drop what comes back
    bool elsewhere = false;                  // of another device class than the worker's

    // Tasks that were not run, or were stopped: they go back to the queue.
    bool has_unfinished() const { return reports.size() < slots.size(); }
};

// What a worker has leased and not yet settled.
using Batches = std::vector<std::shared_ptr<Batch>>;

double estimated_seconds(const Batches& batches);

// Whether one holds a task that was begun before, which may be one that kills its worker. Nothing
// else is leased beside it: what dies with a worker twice is given up.
bool has_suspect(const Batches& batches);

// Whether one is of another device class: nothing else is claimed beside it.
bool is_helping(const Batches& batches);

// Of each job, merges aside.
std::vector<std::pair<JobId, std::int64_t>> items_done(const Batches& batches);

}  // namespace plimsoll::worker
