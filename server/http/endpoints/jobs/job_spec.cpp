#include "server/http/endpoints/jobs/job_spec.hpp"

#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/json_values.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

std::optional<Timestamp> time_of(const nlohmann::json& spec, const std::string& member) {
    const auto found = spec.find(member);
    if (found == spec.end()) return std::nullopt;
    return parse_rfc3339(found->get_ref<const std::string&>()).value();  // checked by the contract
}

}  // namespace

Outcome<void> set_times(queue::NewJob& job, const nlohmann::json& spec, Timestamp now) {
    const auto run_at = time_of(spec, "run_at");
    const auto deadline = time_of(spec, "deadline");
    if (deadline && *deadline <= now)
        return tl::unexpected(invalid_member("/deadline", "must be in the future"));
    if (deadline && run_at && *deadline <= *run_at)
        return tl::unexpected(invalid_member("/deadline", "must be later than run_at"));
    job.run_at = run_at;
    job.deadline = deadline;
    return {};
}

Problem refused(const planning::Refusal& refusal) {
    return refusal.arguments.empty() ? Problem(refusal.error) : refused_args(refusal.arguments);
}

bool returns_existing(const nlohmann::json& spec) {
    return spec.at("unique").value("on_conflict", "refuse") == "return";
}

Problem not_unique(JobId holder) {
    const auto id = to_public(holder);
    Problem problem(409, "The job " + id + " has this unique key and is unfinished.");
    problem.slug = "not-unique";
    problem.errors.push_back({"/unique/key", {}, "is in use by " + id});
    problem.headers.push_back({"Location", job_path(holder)});
    return problem;
}

Problem over_quota(const queue::OverQuota& refusal, Timestamp now) {
    Problem problem(429, queue::describe(refusal));
    problem.slug = "over-quota";
    const auto member = [&](const char* name, const nlohmann::json& value) {
        problem.members.emplace_back(name, value.dump());
    };
    member("quota", refusal.quota);
    member("used", refusal.used);
    member("limit", refusal.limit);
    member("renews_at", time_or_null(refusal.renews_at));
    if (refusal.renews_at && refusal.needed <= refusal.limit) {
        const auto wait = std::chrono::ceil<std::chrono::seconds>(*refusal.renews_at - now);
        problem.headers.push_back({"Retry-After", std::to_string(std::max<long>(1, wait.count()))});
    }
    return problem;
}

}  // namespace plimsoll::http::endpoints
