#include "server/postgres/jobs/job_rows.hpp"

#include "engine/base/json.hpp"
#include "server/base/gzip.hpp"
#include "server/postgres/jobs/share_rows.hpp"

#include <map>
#include <stdexcept>

namespace plimsoll::postgres {
namespace {

queue::Labels labels_of(std::string_view text) { return json::parse(text).get<queue::Labels>(); }

queue::JobState state_of(const std::string& text) {
    const auto state = queue::parse_job_state(text);
    if (!state) throw std::logic_error("unknown job state " + text);
    return *state;
}

queue::Lacks lacks_of_json(const std::string& text) {
    const auto told = json::parse(text);
    queue::Lacks lacks{.missing = told.at("missing").get<std::vector<std::string>>(),
                       .instead = told.at("instead").get<std::vector<std::string>>(),
                       .nodes = told.at("nodes").get<std::vector<std::string>>(),
                       .memory_mib = {}};
    if (!told.at("memory_mib").is_null()) lacks.memory_mib = told["memory_mib"].get<std::int64_t>();
    return lacks;
}

// Why a device cannot be used, from what its probe found.
std::string reason_of(const json& capability) {
    const auto state = capability.value("state", "failed");
    const auto found = capability.value("reason", "");
    const std::string what = state == "crashed" ? "Its driver crashed during the probe"
                             : state == "hung"  ? "It did not respond during the probe"
                                                : "It failed the probe";
    return what + (found.empty() ? "." : ": " + found + ".");
}

}  // namespace

queue::Job to_job(const Row& row) {
    queue::Job job;
    job.id = row.get<JobId>("id");
    job.team = row.get<TeamId>("team_id");
    job.submitter = row.get<UserId>("user_id");
    job.submitter_name = row.get<Maybe<std::string>>("submitter_name").value_or("");
    job.kind = row.get<std::string>("kind");
    job.kind_version = row.get<int>("kind_version");
    job.name = row.get<Maybe<std::string>>("name").value_or("");
    job.labels = labels_of(row.get<std::string_view>("labels"));
    job.priority = row.get<int>("priority");
    job.state = state_of(row.get<std::string>("state"));
    job.device_class = row.get<std::string>("device_class");
    job.args = row.get<std::string>("args");
    job.items_total = row.get<std::int64_t>("items_total");
    job.items_done = row.get<std::int64_t>("items_done");
    job.items_failed = row.get<std::int64_t>("items_failed");
    job.tokens_done = row.get<std::int64_t>("tokens_done");
    job.tasks_total = row.get<int>("tasks_total");
    job.tasks_done = row.get<int>("tasks_done");
    job.tasks_failed = row.get<int>("tasks_failed");
    job.retries = row.get<int>("retries");
    job.last_error = error_message(row.get<Maybe<std::string>>("last_error").value_or(""));
    job.error = error_message(row.get<Maybe<std::string>>("error").value_or(""));
    job.created_at = row.get<Timestamp>("created_at");
    job.unique_key = row.get<Maybe<std::string>>("unique_key").value_or("");
    job.run_at = row.get<Maybe<Timestamp>>("run_at");
    job.deadline = row.get<Maybe<Timestamp>>("deadline");
    if (const auto timeout = row.get<Maybe<double>>("timeout_seconds"))
        job.timeout = queue::Seconds(*timeout);
    if (const auto schedule = row.get<Maybe<std::int64_t>>("schedule_id")) {
        job.schedule = {*schedule, row.get<Maybe<std::string>>("schedule_name").value_or(""),
                        row.get<Timestamp>("due_at")};
    }
    job.started_at = row.get<Maybe<Timestamp>>("started_at");
    job.finished_at = row.get<Maybe<Timestamp>>("finished_at");
    job.version = row.get<std::int64_t>("revision");
    return job;
}

queue::Redriven to_redriven(const Row& row) {
    static const std::map<std::string, queue::Redrive> kOutcomes = {
        {"redriven", queue::Redrive::redriven},     {"unfinished", queue::Redrive::unfinished},
        {"complete", queue::Redrive::complete},     {"no_dataset", queue::Redrive::no_dataset},
        {"not_unique", queue::Redrive::not_unique}, {"not_found", queue::Redrive::not_found}};
    return {row.get<JobId>("job_id"), kOutcomes.at(row.get<std::string>("outcome"))};
}

queue::Wait to_wait(const Row& row) {
    queue::Wait wait;
    wait.kind = row.get<std::string>("kind");
    wait.reason = row.get<std::string>("reason");
    wait.until = row.get<Maybe<Timestamp>>("until");
    wait.tasks_ahead = row.get<std::int64_t>("tasks_ahead");
    wait.device_class = row.get<Maybe<std::string>>("device_class").value_or("");
    if (const auto share = row.get<Maybe<std::string>>("share")) wait.share = share_of_json(*share);
    if (const auto hold = row.get<Maybe<std::string>>("hold")) wait.hold = hold_of_json(*hold);
    if (const auto lacks = row.get<Maybe<std::string>>("lacks")) wait.lacks = lacks_of_json(*lacks);
    wait.earliest_start_at = row.get<Maybe<Timestamp>>("starts_from");
    wait.latest_start_at = row.get<Maybe<Timestamp>>("starts_by");
    return wait;
}

Error no_such_job() { return {Errc::not_found, "The job was not found.", {}}; }

queue::JobEvent to_event(const Row& row) {
    return {row.get<std::int64_t>("n"), row.get<std::string>("type"), row.get<std::string>("data"),
            row.get<Timestamp>("at")};
}

std::string why_quarantined(const Row& row) {
    if (row.get<std::string_view>("state") == "done") return "";
    auto error = error_message(row.get<Maybe<std::string>>("error").value_or(""));
    return error.empty() ? "The task was quarantined: three workers died while running it." : error;
}

queue::ChunkInfo to_chunk_info(const Row& row) {
    return {row.get<int>("seq"), row.get<std::int64_t>("first_item"),
            row.get<std::int64_t>("items"),
            gzip_content_bytes(row.get<Maybe<std::string>>("gzip_size").value_or("")),
            why_quarantined(row)};
}

std::string to_content(const Row& row) {
    return row.get<Maybe<std::string>>("content").value_or("");
}

queue::Ended to_ended(JobId id, const Rows& rows) {
    queue::Ended ended{id,
                       state_of(rows[0].get<std::string>("job_state")),
                       error_message(rows[0].get<Maybe<std::string>>("job_error").value_or("")),
                       {}};
    for (const Row row : rows)
        if (const auto seq = row.get<Maybe<int>>("seq"))
            ended.tasks.push_back({*seq, why_quarantined(row), to_content(row)});
    return ended;
}

queue::Attempt to_attempt(const Row& row) {
    queue::Attempt attempt;
    attempt.task = row.get<int>("task");
    attempt.fence = row.get<std::int64_t>("fence");
    attempt.merge = row.get<bool>("merge");
    attempt.number = row.get<int>("attempt");
    attempt.outcome = row.get<std::string>("outcome");
    attempt.node = row.get<Maybe<std::string>>("node").value_or("");
    attempt.device = row.get<Maybe<std::string>>("device").value_or("");
    attempt.device_class = row.get<Maybe<std::string>>("device_class").value_or("");
    attempt.started_at = row.get<Maybe<Timestamp>>("started_at");
    attempt.ended_at = row.get<Maybe<Timestamp>>("ended_at");
    attempt.seconds = row.get<Maybe<double>>("seconds");
    attempt.items_ok = row.get<Maybe<std::int64_t>>("items_ok");
    attempt.items_failed = row.get<Maybe<std::int64_t>>("items_failed");
    attempt.error = error_message(row.get<Maybe<std::string>>("error").value_or(""));
    return attempt;
}

queue::FoundTasks to_found_tasks(const Rows& rows) {
    queue::FoundTasks found;
    for (const Row row : rows) {
        found.examined_to = row.get<Maybe<int>>("examined_to");
        const auto number = row.get<Maybe<int>>("task");
        if (!number) continue;
        queue::Task task;
        task.number = *number;
        task.first_item = row.get<std::int64_t>("first_item");
        task.items = row.get<std::int64_t>("items");
        task.state = row.get<std::string>("state");
        task.attempt = row.get<int>("attempt");
        task.node = row.get<Maybe<std::string>>("node").value_or("");
        task.device = row.get<Maybe<std::string>>("device").value_or("");
        task.device_class = row.get<Maybe<std::string>>("device_class").value_or("");
        task.started_at = row.get<Maybe<Timestamp>>("started_at");
        task.ended_at = row.get<Maybe<Timestamp>>("ended_at");
        task.seconds = row.get<Maybe<double>>("seconds");
        task.items_ok = row.get<Maybe<std::int64_t>>("items_ok");
        task.items_failed = row.get<Maybe<std::int64_t>>("items_failed");
        task.error = error_message(row.get<Maybe<std::string>>("error").value_or(""));
        found.tasks.push_back(std::move(task));
    }
    return found;
}

namespace {

std::optional<queue::DeviceCleanup> to_cleanup(const Row& row) {
    const auto requested_at = row.get<std::optional<Timestamp>>("cleanup_asked_at");
    if (!requested_at) return std::nullopt;
    queue::DeviceCleanup cleanup;
    cleanup.requested_at = *requested_at;
    cleanup.requested_by = row.get<std::optional<std::string>>("cleanup_asked_by").value_or("");
    cleanup.ended_at = row.get<std::optional<Timestamp>>("cleanup_ended_at");
    const auto told = row.get<std::optional<std::string>>("cleanup_result").value_or("{}");
    const json result = json::parse(told, nullptr, false);
    const auto number = [&](const char* member) -> std::optional<std::int64_t> {
        if (!result.is_object() || !result.contains(member)) return std::nullopt;
        if (!result[member].is_number_integer()) return std::nullopt;
        return result[member].get<std::int64_t>();
    };
    cleanup.kept_bytes = number("kept_bytes");
    cleanup.freed_bytes = number("freed_bytes");
    return cleanup;
}

}  // namespace

queue::DeviceStatus to_device(const Row& row) {
    queue::DeviceStatus device;
    device.node = row.get<std::string>("node");
    device.device = row.get<std::string>("device");
    device.device_class = row.get<std::string>("device_class");
    const json info = json::parse(row.get<std::string_view>("info"));
    device.name = info.value("name", device.device);
    device.capability = info.value("capability", json::object()).dump();
    device.memory_bytes = info.value("memory_bytes", std::int64_t{0});
    device.last_exit = info.value("last_exit", "");
    device.copy_mode = info.value("copy_mode", "");
    device.seen_at = row.get<Timestamp>("seen_at");
    device.tasks_running = row.get<std::int64_t>("tasks_running");
    device.telemetry = row.get<std::optional<std::string>>("telemetry").value_or("");
    device.cleanup = to_cleanup(row);
    const auto state = row.get<std::string>("state");
    if (state == "retired") {
        device.state = "gone";
        device.reason = "Its worker has stopped.";
    } else if (state == "failed") {
        device.state = "failed";
        device.reason = reason_of(info.value("capability", json::object()));
    } else if (state == "lost" || !row.get<bool>("seen")) {
        device.state = "failed";
        device.reason = "Its worker stopped sending heartbeats and lost its leases.";
    } else {
        device.state = device.tasks_running > 0 ? "busy" : "ready";
    }
    return device;
}

std::string to_json(const queue::Labels& labels) { return json(labels).dump(); }

std::string error_to_json(const std::string& message) {
    // A message may quote hostile input: what is not UTF-8 is replaced.
    return json{{"message", message}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string within_json(const std::string& text) {
    const auto quoted = json(text).dump();
    return quoted.substr(1, quoted.size() - 2);
}

std::string error_message(const std::string& text) {
    if (text.empty()) return {};
    const json error = json::parse(text, nullptr, false);
    return error.is_object() ? error.value("message", text) : text;
}

}  // namespace plimsoll::postgres
