#pragma once

#include "server/postgres/driver/rows.hpp"
#include "server/postgres/driver/statement.hpp"
#include "server/queue/job_log.hpp"

namespace plimsoll::postgres {

Statement log_query(TeamId team, JobId id, const queue::LogFilter& filter);
// From a row of jobs.log.
queue::JobLogLine to_log_line(const Row& row);

}  // namespace plimsoll::postgres
