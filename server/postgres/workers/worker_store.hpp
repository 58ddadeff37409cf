#pragma once

#include "server/postgres/pool/listener.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/queue/worker_store.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace plimsoll::outbound {
class ObjectStore;
}  // namespace plimsoll::outbound

namespace plimsoll::postgres {

// The worker process's open tasks by fence.
class HeldLeases {
  public:
    void add(const queue::Claim& claim);
    // Removes settled tasks, and the lease with its last one.
    void settled(std::int64_t fence, const std::vector<queue::TaskName>& tasks);
    void drop(std::int64_t fence) { open_.erase(fence); }
    void drop_all() { open_.clear(); }

    std::vector<std::int64_t> fences() const;

  private:
    std::map<std::int64_t, std::set<queue::TaskName>> open_;
};

// The queue for one worker process. Tracks its leases, so that heartbeats and releases can name
// them.
class WorkerStore final : public queue::WorkerStore {
  public:
    // `pool` and `listener` have the role plimsoll_worker and outlive this; the listener must not
    // be started yet. `objects`: nullptr if there is no object store.
    WorkerStore(const asio::any_io_executor& executor, Pool& pool, Listener& listener,
                outbound::ObjectStore* objects = nullptr);

    awaitable<Result<queue::WorkerHandle>> register_worker(queue::WorkerInfo info) override;
    awaitable<Result<void>> report_unusable(queue::WorkerInfo info) override;
    awaitable<Result<queue::HeartbeatReply>> heartbeat(
        queue::WorkerHandle worker, std::vector<std::pair<JobId, std::int64_t>> items,
        queue::WorkerTelemetry telemetry) override;
    awaitable<Result<void>> report_cleanup(queue::WorkerHandle worker, std::int64_t cleanup,
                                           queue::Freed freed) override;
    awaitable<Result<queue::Claim>> claim(queue::WorkerHandle worker, double seconds, int max_tasks,
                                          std::optional<std::int64_t> free_memory = {}) override;
    awaitable<Result<queue::Claim>> claim_elsewhere(
        queue::WorkerHandle worker, double seconds, int max_tasks,
        std::optional<std::int64_t> free_memory = {}) override;
    awaitable<Result<queue::Acceptance>> complete(queue::WorkerHandle worker, std::int64_t fence,
                                                  std::vector<queue::TaskReport> reports) override;
    awaitable<Result<void>> record_log(queue::WorkerHandle worker, std::int64_t fence,
                                       std::vector<queue::TaskLines> tasks) override;
    awaitable<Result<void>> release(queue::WorkerHandle worker, std::int64_t fence,
                                    std::vector<queue::TaskName> tasks) override;
    awaitable<Result<void>> retire(queue::WorkerHandle worker) override;
    awaitable<bool> wake(queue::WorkerHandle worker,
                         std::chrono::steady_clock::time_point deadline) override;
    // Whether the node's workers have nothing left to do.
    awaitable<Result<bool>> is_idle(std::string node);

  private:
    awaitable<Result<queue::Claim>> leased(queue::WorkerHandle worker, Statement claiming);
    awaitable<Result<void>> fetch_chunks(queue::Claim& claim);
    void woken();

    Pool& pool_;
    outbound::ObjectStore* objects_;
    HeldLeases held_;
    std::string device_class_;
    std::int64_t worker_id_ = 0;
    asio::steady_timer waiting_;
    std::vector<std::string> resident_;  // the model last run on the device
    bool woken_ = false;                 // since wake() last returned
    bool called_ = false;                // same, for this worker's own channel
};

}  // namespace plimsoll::postgres
