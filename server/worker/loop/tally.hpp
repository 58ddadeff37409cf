#pragma once

#include "server/worker/base/batch.hpp"

namespace plimsoll::worker {

// Adds what became of a settled batch.
void count_settled(queue::WorkerTelemetry& telemetry, const Batch& batch);

}  // namespace plimsoll::worker
