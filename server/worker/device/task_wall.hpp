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

// Where tasks run: the same for all tasks of a worker. As of jobs::RunContext.
struct TaskPlace {
    opencl::Device* device = nullptr;
    std::string_view node = {};
    const opencl::Capability* capability = nullptr;
    opencl::Ledger* ledger = nullptr;
    const jobs::KindSettings& settings = jobs::kUsualSettings;
};

// Runs one task and turns whatever happens into its report: the wall behind which a task's errors
// and exceptions stay. What may pass (queue/retry.hpp; std::bad_alloc is a shortage) is to be
// retried after a pause that `chance`, uniform in [0, 1), spreads. Nothing when the task stopped
// because it was asked to.
std::optional<queue::TaskReport> run_task(TaskSlot& slot, const FindRun& find_run,
                                          const TaskPlace& place, double chance);

// Of a task that costs its worker process.
queue::TaskReport report_death(const queue::ClaimedTask& task, std::string error,
                               double device_seconds);

}  // namespace plimsoll::worker
