#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/queue/store.hpp"

namespace plimsoll::postgres {

using Stored = std::vector<Result<queue::Submitted>>;

// All of the jobs in one statement, or none.
asio::awaitable<Result<Stored>> store_whole(Pool& pool, std::vector<queue::NewJob> jobs);

// Some at a time, so that no statement holds the queue for long, each job for itself.
asio::awaitable<Stored> store_each(Pool& pool, std::vector<queue::NewJob> jobs);

}  // namespace plimsoll::postgres
