#pragma once

#include "server/postgres/pool.hpp"
#include "server/queue/store.hpp"

#include <memory>

namespace plimsoll::postgres {

// Submits that arrive while a commit is under way share the next one: many callers, one fsync.
// There is no timer: an idle server commits a lone submit at once. Each caller is answered after
// its own commit. Not thread-safe, like the pool.
class GroupCommit {
  public:
    GroupCommit(asio::any_io_executor executor, Pool& pool);

    // Errc::conflict: the idempotency key was used with another body. Errc::unavailable: too much
    // is waiting, or the database is away; Errc::timeout: unknown whether it was stored.
    asio::awaitable<Result<queue::Submitted>> submit(queue::NewJob job);

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::postgres
