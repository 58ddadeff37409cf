#pragma once

#include "server/worker/base/batch.hpp"

namespace plimsoll::worker {

// Records the spans of a settled batch's tasks whose requests are traced, below the request:
// "queue" from when the job could begin until its task was claimed, "task" until its outcome was
// recorded, and in that "device", while it ran. Call after the batch's reports were recorded.
void record_spans(const Batch& batch, const queue::WorkerInfo& worker);

}  // namespace plimsoll::worker
