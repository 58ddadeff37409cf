#pragma once

#include "server/worker/base/batch.hpp"
#include "server/worker/device/task_runner.hpp"

#include <vector>

namespace plimsoll::worker {

// Groups the tasks of a batch that run together (jobs::Run::shared_key), in the order of their
// first tasks. A task that failed before or whose worker died is alone, and so is a merge task.
std::vector<std::vector<TaskSlot*>> groups_of(const Batch& batch, const FindRun& find_run);

// Puts the reports of a batch in the order of its tasks.
void put_in_order(Batch& batch);

}  // namespace plimsoll::worker
