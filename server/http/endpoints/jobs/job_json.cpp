#include "server/http/endpoints/jobs/job_json.hpp"

#include "server/http/endpoints/query.hpp"
#include "server/http/messages/limits.hpp"
#include "server/schedules/schedule.hpp"

#include <chrono>

namespace plimsoll::http::endpoints {

namespace {

constexpr std::string_view kRetryWhenRunning = "1";  // seconds

// How much of the work is done. More tasks than items have ended only if several tasks work on the
// same few items, which then all end at once: progress is then by tasks, otherwise by items.
double fraction_done(const queue::Job& job) {
    const bool together = job.tasks_done > job.items_done;
    const auto done = together ? job.tasks_done : job.items_done;
    const auto total = together ? job.tasks_total : job.items_total;
    return total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 0;
}

// By the pace since the job started: rough, but better than nothing.
std::optional<double> eta_seconds(const queue::Job& job, Timestamp now) {
    const double share = fraction_done(job);
    if (job.state != queue::JobState::running || !job.started_at || share == 0) return std::nullopt;
    const std::chrono::duration<double> elapsed = now - *job.started_at;
    return std::max(0.0, elapsed.count() * (1 / share - 1));
}

void write_text_or_null(JsonWriter& out, const std::string& text) {
    text.empty() ? out.null() : out.text(text);
}

void write_time_or_null(JsonWriter& out, const std::optional<Timestamp>& time) {
    time ? out.text(to_rfc3339(*time)) : out.null();
}

void write_labels(JsonWriter& out, const queue::Labels& labels) {
    out.begin_object();
    for (const auto& [key, value] : labels) out.key(key).text(value);
    out.end_object();
}

void write_schedule(JsonWriter& out, const std::optional<queue::MadeBySchedule>& schedule) {
    if (!schedule) {
        out.null();
        return;
    }
    out.begin_object();
    out.key("id").text(to_public(schedules::ScheduleId{schedule->schedule}));
    write_text_or_null(out.key("name"), schedule->name);
    out.key("due_at").text(to_rfc3339(schedule->due_at));
    out.end_object();
}

}  // namespace

std::string job_path(JobId id) { return "/v1/jobs/" + to_public(id); }

std::string job_etag(const queue::Job& job) { return '"' + std::to_string(job.version) + '"'; }

void write_job(JsonWriter& out, const queue::Job& job, Timestamp now) {
    const auto path = job_path(job.id);
    out.begin_object();
    out.key("id").text(to_public(job.id));
    out.key("kind").text(job.kind);
    write_text_or_null(out.key("name"), job.name);
    out.key("state").text(to_string(job.state));
    write_labels(out.key("labels"), job.labels);
    out.key("priority").number(job.priority);
    write_text_or_null(out.key("device_class"), job.device_class);
    write_text_or_null(out.key("unique_key"), job.unique_key);
    out.key("created_at").text(to_rfc3339(job.created_at));
    write_time_or_null(out.key("run_at"), job.run_at);
    write_time_or_null(out.key("deadline"), job.deadline);
    out.key("timeout_seconds");
    job.timeout ? out.number(job.timeout->count()) : out.null();
    write_schedule(out.key("schedule"), job.schedule);
    write_time_or_null(out.key("started_at"), job.started_at);
    write_time_or_null(out.key("finished_at"), job.finished_at);
    out.key("submitter").begin_object();
    out.key("id").text(to_public(job.submitter)).key("name").text(job.submitter_name);
    out.end_object();
    out.key("progress").begin_object();
    out.key("items_total").number(job.items_total);
    out.key("items_done").number(job.items_done);
    out.key("items_failed").number(job.items_failed);
    if (job.tokens_done > 0) out.key("tokens_done").number(job.tokens_done);
    out.key("fraction").number(fraction_done(job));
    const auto eta = eta_seconds(job, now);
    out.key("eta_seconds");
    eta ? out.number(*eta) : out.null();
    out.end_object();
    out.key("args").json(job.args);
    out.key("tasks_failed").number(job.tasks_failed);
    out.key("retries").number(job.retries);
    write_text_or_null(out.key("last_error"), job.last_error);
    write_text_or_null(out.key("error"), job.error);
    out.key("links").begin_object();
    out.key("self").text(path);
    const auto folder = path + '/';
    for (const std::string_view part :
         {"events", "tasks", "attempts", "logs", "report", "results", "cancellation", "redrive"}) {
        out.key(part).text(folder, part);
    }
    out.key("wait_reason").text(folder, "wait-reason");
    out.end_object();
    out.end_object();
}

std::string job_text(const queue::Job& job, Timestamp now) {
    JsonWriter out;
    write_job(out, job, now);
    return out.take();
}

JobId job_id_of(const std::optional<std::string>& text) {
    return parse_id<JobId>("job", text, "The job was not found.");
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
    Problem problem(422, "The arguments are invalid.");
    for (const auto& error : errors) {
        if (problem.errors.size() == limits::kFieldErrors) break;
        problem.errors.push_back({"/args" + error.pointer, {}, error.message});
    }
    return problem;
}

void require_final(const queue::Job& job) {
    if (queue::is_final(job.state)) return;
    Problem problem(409, "The job has not finished yet.");
    problem.headers.push_back({"Retry-After", std::string(kRetryWhenRunning)});
    throw Refused(std::move(problem));
}

std::string attempt_id(int task, std::int64_t fence) {
    return std::to_string(task) + '.' + std::to_string(fence);
}

}  // namespace plimsoll::http::endpoints
