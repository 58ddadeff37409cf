#pragma once

#include "server/queue/store.hpp"

namespace plimsoll::http::endpoints {

// The result chunk of an ended job that contains the item. Errc::not_found: the job has fewer
// items.
boost::asio::awaitable<Result<queue::ChunkInfo>> chunk_of_item(queue::JobStore& store, TeamId team,
                                                               JobId job, std::int64_t index);

}  // namespace plimsoll::http::endpoints
