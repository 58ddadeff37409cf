#pragma once

#include "server/jobs/kind.hpp"
#include "server/queue/worker_store.hpp"
#include "server/worker/batch.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace plimsoll::worker {

using FindRun = std::function<const jobs::Run*(std::string_view kind, int version)>;

// Runs one task and turns whatever happens into its report: the wall behind which a task's errors
// and exceptions stay. What may pass (queue/retry.hpp; std::bad_alloc is a shortage) is to be
// retried after a pause that `chance`, uniform in [0, 1), spreads. Nothing when the task stopped
// because it was asked to.
std::optional<queue::TaskReport> run_task(TaskSlot& slot, const FindRun& find_run,
                                          opencl::Device* device, double chance);

}  // namespace plimsoll::worker
