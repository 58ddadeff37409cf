#pragma once

#include "server/worker/base/batch.hpp"
#include "server/worker/device/task_runner.hpp"

#include <vector>

namespace plimsoll::worker {

// The tasks of a batch by what runs together (jobs::Run::shared_key), groups in the order of their
// first tasks. A task that failed before or whose worker died is alone, and so is a merge.
std::vector<std::vector<TaskSlot*>> groups_of(const Batch& batch, const FindRun& find_run);

// Puts the reports of a batch in the order of its tasks.
void put_in_order(Batch& batch);

}  // namespace plimsoll::worker
