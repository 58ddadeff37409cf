#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <string>
#include <string_view>

namespace plimsoll::outbound {
class ObjectStore;
}  // namespace plimsoll::outbound

// Contents of chunks in an object store, if there is one: the row then holds where, in place of the
// content. The object is written first, so that no row names what is not there; those that no row
// names are deleted by sweep_objects.
namespace plimsoll::postgres {

class Pool;

// Below this many bytes, a content stays in its row: a request to the store takes longer.
inline constexpr std::size_t kLeastObject = 64 << 10;

// Where the objects of a chunk are, with "/" at the end. Nothing else is read for it: workers,
// which parse untrusted files, write the rows of results.
std::string dataset_folder(DatasetId dataset);
std::string result_folder(JobId job, int task);
inline constexpr std::string_view kAnyDataset = "datasets/";

// What its row holds: the content, which is a gzip member, or "plimsoll-object:", the object's name
// and the last four bytes of the content. Those are its uncompressed size, which queries read.
awaitable<Result<std::string>> keep(outbound::ObjectStore* objects, std::string folder,
                                    std::string content);

bool is_elsewhere(std::string_view held);
// The content for what a row holds. Errc::unavailable: the store does not respond, or none is
// configured; Errc::corrupt: the object is missing or not in `folder`.
awaitable<Result<std::string>> fetch(outbound::ObjectStore* objects, std::string folder,
                                     Result<std::string> held);

// Deletes objects that no row names and that are a day older than `now`; returns how many. Several
// servers may do so at once.
awaitable<Result<int>> sweep_objects(outbound::ObjectStore& objects, Pool& pool, Timestamp now);

}  // namespace plimsoll::postgres
