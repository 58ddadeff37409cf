#pragma once

#include "server/http/messages/problem.hpp"
#include "server/identity/identity.hpp"
#include "server/jobs/kind.hpp"
#include "server/planning/refusal.hpp"
#include "server/queue/job.hpp"
#include "server/queue/shares.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

// What a JobSpec says beside its arguments; the plan is the kind's. 422 when a time is none or the
// deadline is not in the future or not behind the start.
Outcome<queue::NewJob> new_job(const identity::Principal& submitter, const jobs::Contract& kind,
                               const nlohmann::json& spec, Timestamp now);

// Whether a submit whose unique key is taken is answered with the job that has it.
bool returns_holder(const nlohmann::json& spec);

Problem not_unique(JobId holder);
// 429 that names the quota, how much of it is used, and when it renews.
Problem over_quota(const queue::OverQuota& refusal, Timestamp now);

// What could not be planned, as the caller is told it.
Problem refused(const planning::Refusal& refusal);

}  // namespace plimsoll::http::endpoints
