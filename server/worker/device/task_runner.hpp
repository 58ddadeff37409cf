#pragma once

#include "server/jobs/kind.hpp"
#include "server/queue/worker_store.hpp"
#include "server/worker/base/batch.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::worker {

using FindRun = std::function<const jobs::Run*(std::string_view kind, int version)>;

// What all tasks of a worker share; see jobs::RunContext.
struct TaskContext {
    opencl::Device* device = nullptr;
    std::string_view node = {};
    const opencl::Capability* capability = nullptr;
    opencl::Ledger* ledger = nullptr;
    const jobs::KindSettings& settings = jobs::kUsualSettings;
};

// Runs one task and converts its result, error or exception into a report. Transient errors
// (queue/retry.hpp; std::bad_alloc counts as a shortage) are marked for a retry after a pause with
// jitter from `chance`, uniform in [0, 1). nullopt if the task stopped on request.
std::optional<queue::TaskReport> run_task(TaskSlot& slot, const FindRun& find_run,
                                          const TaskContext& place, double chance);

// The report of a task that ends its worker process.
queue::TaskReport report_death(const queue::ClaimedTask& task, std::string error,
                               double device_seconds);

}  // namespace plimsoll::worker
