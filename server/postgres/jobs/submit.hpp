#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/rounds.hpp"
#include "server/queue/store.hpp"

namespace plimsoll::postgres {

using Stored = std::vector<Result<queue::Submitted>>;

// Stores all of the jobs in one statement, or none.
awaitable<Result<Stored>> store_whole(Pool& pool, std::vector<queue::NewJob> jobs);

// Stores each job independently, a few per statement, so that no statement locks the queue for
// long.
awaitable<Stored> store_each(Pool& pool, std::vector<queue::NewJob> jobs);

// From a row of jobs.enqueue.
Result<queue::Submitted> to_submitted(const Row& row);

Error idempotency_mismatch();

// Whether one job may have caused the failure, so that the others should be retried individually.
bool may_be_one_jobs_fault(Errc code);

// Group commit of submits: those that arrive during a commit share the next one, so many callers
// need one fsync. Each caller is answered after its own commit. ask() also returns Errc::conflict:
// the idempotency key was used with another body.
class GroupCommit final : public Rounds<queue::NewJob, queue::Submitted> {
  public:
    // `pool` outlives this.
    GroupCommit(asio::any_io_executor executor, Pool& pool);

  private:
    std::size_t weigh(const queue::NewJob& job) const override;
    awaitable<void> run(Round round) override;

    Pool& pool_;
};

}  // namespace plimsoll::postgres
