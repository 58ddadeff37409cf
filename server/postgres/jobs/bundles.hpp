#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/queue/store.hpp"

namespace plimsoll::postgres {

using Stored = std::vector<Result<queue::Submitted>>;

// Stores all of the jobs in one statement, or none.
asio::awaitable<Result<Stored>> store_whole(Pool& pool, std::vector<queue::NewJob> jobs);

// Stores each job independently, a few per statement, so that no statement locks the queue for
// long.
asio::awaitable<Stored> store_each(Pool& pool, std::vector<queue::NewJob> jobs);

}  // namespace plimsoll::postgres
