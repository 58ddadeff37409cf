#pragma once

#include "server/postgres/driver/statement.hpp"
#include "server/queue/job.hpp"

#include <span>

namespace plimsoll::postgres {

// One jobs.enqueue for many jobs: every field becomes an array. `whole`: all of them or none.
Statement enqueue(std::span<const queue::NewJob* const> jobs, bool whole = false);

// The smallest n with 2^n >= mebibytes, as lanes and workers state memory; 0 for next to nothing.
int memory_bucket(std::int64_t mebibytes);

}  // namespace plimsoll::postgres
