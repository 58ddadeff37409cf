#include "server/http/endpoints/job_json.hpp"

#include "server/http/endpoints/json_values.hpp"
#include "server/http/limits.hpp"

#include <chrono>

namespace plimsoll::http::endpoints {

using nlohmann::json;

namespace {

constexpr std::string_view kRetryWhenRunning = "1";  // seconds

// By the pace since the job started: rough, and better than nothing.
json eta_seconds(const queue::Job& job, Timestamp now) {
    if (job.state != queue::JobState::running || !job.started_at || job.items_done == 0) {
        return nullptr;
    }
    const std::chrono::duration<double> elapsed = now - *job.started_at;
    const auto left = static_cast<double>(job.items_total - job.items_done);
    return std::max(0.0, elapsed.count() * left / static_cast<double>(job.items_done));
}

// Written by the kind's own contract, so it is JSON; a damaged row must not hide the job.
json args_json(const std::string& text) {
    auto args = json::parse(text, nullptr, false);
    return args.is_object() ? args : json::object();
}

}  // namespace

std::string job_path(JobId id) {
    return "/v1/jobs/" + to_public(id);
}

std::string job_etag(const queue::Job& job) {
    return '"' + std::to_string(job.version) + '"';
}

json job_json(const queue::Job& job, Timestamp now) {
    const auto path = job_path(job.id);
    return {
        {"id", to_public(job.id)},
        {"kind", job.kind},
        {"name", text_or_null(job.name)},
        {"state", to_string(job.state)},
        {"labels", job.labels},
        {"priority", job.priority},
        {"unique_key", text_or_null(job.unique_key)},
        {"created_at", to_rfc3339(job.created_at)},
        {"run_at", time_or_null(job.run_at)},
        {"deadline", time_or_null(job.deadline)},
        {"timeout_seconds", job.timeout ? json(job.timeout->count()) : json(nullptr)},
        {"started_at", time_or_null(job.started_at)},
        {"finished_at", time_or_null(job.finished_at)},
        {"submitter", {{"id", to_public(job.submitter)}, {"name", job.submitter_name}}},
        {"progress",
         {{"items_total", job.items_total},
          {"items_done", job.items_done},
          {"items_failed", job.items_failed},
          {"eta_seconds", eta_seconds(job, now)}}},
        {"args", args_json(job.args)},
        {"tasks_failed", job.tasks_failed},
        {"retries", job.retries},
        {"last_error", text_or_null(job.last_error)},
        {"error", text_or_null(job.error)},
        {"links",
         {{"self", path},
          {"events", path + "/events"},
          {"report", path + "/report"},
          {"results", path + "/results"},
          {"cancellation", path + "/cancellation"},
          {"redrive", path + "/redrive"},
          {"wait", path + "/wait"}}},
    };
}

Outcome<JobId> job_id_of(const std::optional<std::string>& text) {
    const auto value = parse_public_id("job", text.value_or(""));
    if (!value) return refuse(404, "There is no such job.");
    return JobId{*value};
}

void filter_by_label(queue::JobFilter& filter, std::string_view label) {
    const auto equals = label.find('=');
    filter.label_key = label.substr(0, equals);
    if (equals != std::string_view::npos) filter.label_value = label.substr(equals + 1);
}

bool names_version(std::string_view if_none_match, std::string_view etag) {
    if (if_none_match == "*") return true;
    while (!if_none_match.empty()) {
        auto one = if_none_match.substr(0, if_none_match.find(','));
        if_none_match.remove_prefix(std::min(one.size() + 1, if_none_match.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        if (one.starts_with("W/")) one.remove_prefix(2);
        if (one == etag) return true;
    }
    return false;
}

Problem refused_args(const jobs::FieldErrors& errors) {
    Problem problem(422, "The args break a rule.");
    for (const auto& error : errors) {
        if (problem.errors.size() == limits::kFieldErrors) break;
        problem.errors.push_back({"/args" + error.pointer, {}, error.message});
    }
    return problem;
}

Outcome<void> require_final(const queue::Job& job) {
    if (queue::is_final(job.state)) return {};
    Problem problem(409, "The job is not finished yet.");
    problem.headers.push_back({"Retry-After", std::string(kRetryWhenRunning)});
    return tl::unexpected(std::move(problem));
}

}  // namespace plimsoll::http::endpoints
