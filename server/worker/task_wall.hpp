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
// and exceptions stay. Shortage and absence (unavailable, exhausted, timeout, std::bad_alloc) are
// to be retried, anything else is final. Nothing when the task stopped because it was asked to.
std::optional<queue::TaskReport> run_task(TaskSlot& slot, const FindRun& find_run,
                                          opencl::Device* device);

}  // namespace plimsoll::worker
