#include "server/http/endpoints/jobs/item_chunk.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

awaitable<Result<queue::ChunkInfo>> chunk_of_item(queue::JobStore& store, TeamId team, JobId job,
                                                  std::int64_t index) {
    CO_TRY(auto chunks, co_await store.result_chunks(team, job));
    const auto it = std::ranges::find_if(chunks, [index](const queue::ChunkInfo& chunk) {
        return index >= chunk.first_item && index < chunk.first_item + chunk.items;
    });
    if (it == chunks.end()) co_return fail(Errc::not_found, "The job has no such item.");
    co_return std::move(*it);
}

}  // namespace plimsoll::http::endpoints
