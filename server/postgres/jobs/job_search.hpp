#pragma once

#include "server/postgres/driver/rows.hpp"
#include "server/postgres/driver/statement.hpp"
#include "server/queue/job.hpp"

// Lists and counts of a team's jobs: from an index if one covers the filter, else from a bounded
// number of the newest jobs.
namespace plimsoll::postgres {

Statement list_query(const queue::JobFilter& filter);
queue::FoundJobs to_found(const Rows& rows);

Statement count_query(const queue::JobFilter& filter);
queue::JobCounts to_counts(const Rows& rows);

}  // namespace plimsoll::postgres
