#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/rounds.hpp"
#include "server/queue/store.hpp"

namespace plimsoll::postgres {

// From a row of jobs.enqueue.
Result<queue::Submitted> to_submitted(const Row& row);

Error idempotency_mismatch();

// Whether the failure may be one job's fault, so that the others deserve a try of their own.
bool may_be_one_jobs_fault(Errc code);

// Submits that arrive while a commit is under way share the next one: many callers, one fsync. Each
// caller is answered after its own commit. ask() also answers Errc::conflict: the idempotency key
// was used with another body.
class GroupCommit final : public Rounds<queue::NewJob, queue::Submitted> {
  public:
    // `pool` outlives this.
    GroupCommit(asio::any_io_executor executor, Pool& pool);

  private:
    std::size_t weigh(const queue::NewJob& job) const override;
    asio::awaitable<void> run(Round round) override;

    Pool& pool_;
};

}  // namespace plimsoll::postgres
