#pragma once

#include "server/base/backoff.hpp"
#include "server/queue/worker_store.hpp"
#include "server/worker/base/batch.hpp"
#include "server/worker/base/outage.hpp"
#include "server/worker/base/timer.hpp"

#include <vector>

namespace plimsoll::worker {

// Records batch results in the queue, retrying for as long as the database is unavailable. Results
// whose lease was lost are dropped, because another worker has the tasks.
class Recorder {
  public:
    Recorder(queue::WorkerStore& store, Timer& timer, Outage& outage, Random random);

    // Records finished tasks and releases the rest. False if the queue accepts neither: such a
    // batch ends only when its lease expires.
    awaitable<bool> settle(Batch& batch);

  private:
    using Reports = std::vector<queue::TaskReport>;

    awaitable<bool> report(Batch& batch);
    awaitable<bool> give_back(const Batch& batch);
    awaitable<void> pause(Backoff& backoff);

    queue::WorkerStore& store_;
    Timer& timer_;
    Outage& outage_;
    Random random_;
};

// Adds a settled batch's outcomes to the counters.
void count_settled(queue::WorkerTelemetry& telemetry, const Batch& batch);

}  // namespace plimsoll::worker
