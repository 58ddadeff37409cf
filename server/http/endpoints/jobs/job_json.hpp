#pragma once

#include "server/base/json_writer.hpp"
#include "server/http/messages/problem.hpp"
#include "server/jobs/kind.hpp"
#include "server/queue/job.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::http::endpoints {

// Writes a job as in the contract.
void write_job(JsonWriter& out, const queue::Job& job, Timestamp now);
std::string job_text(const queue::Job& job, Timestamp now);

std::string job_path(JobId id);
// Changes whenever the job does.
std::string job_etag(const queue::Job& job);

// 404 for a malformed id, as for a missing job.
JobId job_id_of(const std::optional<std::string>& text);

// Restricts the filter to a label: "key=value", or "key" with any value.
void filter_by_label(queue::JobFilter& filter, std::string_view label);

// Whether an If-None-Match header names this version.
bool names_version(std::string_view if_none_match, std::string_view etag);

// 422 that names the arguments at fault.
Problem refused_args(const jobs::FieldErrors& errors);

// 409 unless the job has ended.
void require_final(const queue::Job& job);

// The id of an attempt, "TASK.FENCE", which is unique in its job.
std::string attempt_id(int task, std::int64_t fence);

}  // namespace plimsoll::http::endpoints
