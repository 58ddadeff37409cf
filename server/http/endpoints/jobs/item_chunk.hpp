#pragma once

#include "server/queue/store.hpp"

namespace plimsoll::http::endpoints {

// Bytes of one task's rows, unpacked. Tasks are cut far smaller; this bounds what a damaged chunk
// can do.
inline constexpr std::size_t kLargestChunk = 64 * 1024 * 1024;

// The result chunk of an ended job that contains the item. Errc::not_found: the job has fewer
// items.
awaitable<Result<queue::ChunkInfo>> chunk_of_item(queue::JobStore& store, TeamId team, JobId job,
                                                  std::int64_t index);

}  // namespace plimsoll::http::endpoints
