#pragma once

#include "server/postgres/driver/statement.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/queue/job.hpp"

#include <span>

namespace plimsoll::postgres {

// One jobs.enqueue for many jobs, kEnqueued of the replies: every field becomes an array. `whole`:
// all or none. The response comes when they are on disk, unless all are at_once.
Batch enqueue(std::span<const queue::NewJob* const> jobs, bool whole = false);
inline constexpr std::size_t kEnqueued = 1;

// Of what jobs are to be submitted: tracing's account of their requests.
Traces traces_of(std::span<const queue::NewJob* const> jobs);

// The smallest n with 2^n >= mebibytes, the unit of memory requirements of lanes and workers; 0 for
// at most 1 MiB.
int memory_bucket(std::int64_t mebibytes);

}  // namespace plimsoll::postgres
