#pragma once

#include "server/jobs/kind.hpp"
#include "server/queue/worker_store.hpp"
#include "server/worker/base/batch.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::worker {

using FindRun = std::function<const jobs::Run*(std::string_view kind, int version)>;

// What all tasks of a worker share; see jobs::RunContext.
struct TaskContext {
    opencl::Device* device = nullptr;
    std::string_view node = {};
    const opencl::Capability* capability = nullptr;
    opencl::Ledger* ledger = nullptr;
    const jobs::KindSettings& settings = jobs::kDefaultSettings;
};

// Runs one task and converts its result, error or exception into a report. Transient errors
// (queue/retry.hpp; std::bad_alloc counts as a shortage) are marked for a retry after a pause with
// jitter from `chance`, uniform in [0, 1). nullopt if the task stopped on request.
std::optional<queue::TaskReport> run_task(TaskSlot& slot, const FindRun& find_run,
                                          const TaskContext& place, double chance);

// Tasks that run together (jobs::Run::run_together), and their outcomes.
struct Together {
    std::vector<queue::TaskReport> reports;  // of those with a result or an error of their own
    std::vector<TaskSlot*> alone;            // could not run together: each must run alone
};
// Runs tasks of one kind together. Each is charged its part of the time, by its work.
Together run_together(std::span<TaskSlot* const> slots, const FindRun& find_run,
                      const TaskContext& place, const std::function<double()>& random);

// Makes the report of a whole job of several tasks.
Result<jobs::Merged> merge_whole(const WholeJob& job, const FindRun& find_run);

// Divides a time into parts in this ratio (equal parts if all work is 0), which add up to the
// whole.
std::vector<std::chrono::nanoseconds> divided(std::chrono::nanoseconds whole,
                                              std::span<const std::uint64_t> work);

// The report of a task that ends its worker process.
queue::TaskReport report_death(const queue::ClaimedTask& task, std::string error,
                               double device_seconds);
// Turns a report into that of a task that ends its worker process.
void make_death(queue::TaskReport& report, std::string error);

}  // namespace plimsoll::worker
