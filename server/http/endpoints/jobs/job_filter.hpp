#pragma once

#include "server/http/api/handler.hpp"
#include "server/queue/job.hpp"

#include <nlohmann/json.hpp>

// The jobs that a call applies to, from its parameters or its body.
namespace plimsoll::http::endpoints {

// From the query; without limit and cursor.
queue::JobFilter filter_of_query(const Call& call);

// From a member `filter` of a body, with its cursor.
queue::JobFilter filter_of_body(const nlohmann::json& filter);

// Jobs that a body names or that match its filter, at most kJobsPerFilter.
inline constexpr int kJobsPerFilter = 1000;

struct SelectedJobs {
    std::vector<JobId> jobs;
    std::vector<std::string> unknown;  // malformed IDs
    std::optional<JobId> next;         // more may match
};

// From a body with `job_ids`.
SelectedJobs named_jobs(const nlohmann::json& ids);
// From what `JobStore::list` returned for a filter with the limit kJobsPerFilter.
SelectedJobs matching_jobs(const queue::FoundJobs& found);

}  // namespace plimsoll::http::endpoints
