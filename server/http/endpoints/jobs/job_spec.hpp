#pragma once

#include "server/http/messages/problem.hpp"
#include "server/planning/planner.hpp"
#include "server/queue/job.hpp"
#include "server/queue/shares.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

// Sets when the job of a JobSpec starts, and its deadline. 422: the deadline is not in the future
// or not after the start.
Outcome<void> set_times(queue::NewJob& job, const nlohmann::json& spec, Timestamp now);

// Whether a submit with a taken unique key returns the job that holds it (`on_conflict: return`).
bool returns_existing(const nlohmann::json& spec);

Problem not_unique(JobId holder);
// 429 that names the quota, how much of it is used, and when it renews.
Problem over_quota(const queue::OverQuota& refusal, Timestamp now);

// The response to arguments that could not be planned.
Problem refused(const planning::Refusal& refusal);

}  // namespace plimsoll::http::endpoints
