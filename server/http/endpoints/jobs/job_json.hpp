#pragma once

#include "server/base/json_writer.hpp"
#include "server/http/messages/problem.hpp"
#include "server/jobs/kind.hpp"
#include "server/queue/job.hpp"

#include <string>
#include <string_view>

namespace plimsoll::http::endpoints {

// A job as the contract shows it.
void write_job(JsonWriter& out, const queue::Job& job, Timestamp now);
std::string job_text(const queue::Job& job, Timestamp now);

std::string job_path(JobId id);
// Changes whenever the job does.
std::string job_etag(const queue::Job& job);

// 404 for what can be no job's id, as for a job that does not exist.
Outcome<JobId> job_id_of(const std::optional<std::string>& text);

// Only jobs with this label: "key=value", or "key" with any value.
void filter_by_label(queue::JobFilter& filter, std::string_view label);

// Whether an If-None-Match header names this version.
bool names_version(std::string_view if_none_match, std::string_view etag);

// 422 that names the arguments at fault.
Problem refused_args(const jobs::FieldErrors& errors);

// For what can be read only when the job is over.
Outcome<void> require_final(const queue::Job& job);

}  // namespace plimsoll::http::endpoints
