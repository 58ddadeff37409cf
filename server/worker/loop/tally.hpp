#pragma once

#include "server/worker/base/batch.hpp"

namespace plimsoll::worker {

// Adds a settled batch's outcomes to the counters.
void count_settled(queue::WorkerTelemetry& telemetry, const Batch& batch);

}  // namespace plimsoll::worker
