#pragma once

#include "server/queue/worker_store.hpp"
#include "server/worker/base/backoff.hpp"
#include "server/worker/base/batch.hpp"
#include "server/worker/base/outage.hpp"
#include "server/worker/base/timer.hpp"

#include <vector>

namespace plimsoll::worker {

// Brings the results of batches into the queue, however long the database is away. Results whose
// lease was lost meanwhile are dropped: somebody else computes them.
class Recorder {
  public:
    Recorder(queue::WorkerStore& store, Timer& timer, Outage& outage, Backoff::Random random);

    // Records what was done and gives back the rest. False when the queue will take neither: only
    // losing the lease can settle such a batch.
    awaitable<bool> settle(Batch& batch);

  private:
    using Reports = std::vector<queue::TaskReport>;

    awaitable<bool> report(Batch& batch);
    awaitable<bool> give_back(const Batch& batch);
    awaitable<void> pause(Backoff& backoff);

    queue::WorkerStore& store_;
    Timer& timer_;
    Outage& outage_;
    Backoff::Random random_;
};

}  // namespace plimsoll::worker
