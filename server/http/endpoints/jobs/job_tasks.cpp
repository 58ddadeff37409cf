// The parts of a job that run on devices, each with its latest attempt.
//
// The attempts at a job's tasks: where, when, and how each ended.
//
// The log of a job's tasks: what the queue, workers and supervisors say about each attempt.
#include "engine/base/json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace plimsoll::http::endpoints {

namespace {

// The number of the previous page's last task.
int task_cursor(const Call& call) {
    const auto cursor = call.parameters.text("cursor");
    if (!cursor) return -1;
    int number = 0;
    const char* const end = cursor->data() + cursor->size();
    const auto [rest, bad] = std::from_chars(cursor->data(), end, number);
    if (bad != std::errc() || rest != end) throw Refused(invalid_cursor());
    return number;
}

queue::TaskFilter task_filter_of(const Call& call) {
    const auto after = task_cursor(call);
    return queue::TaskFilter{
        .state = call.parameters.text("state").value_or(""),
        .node = call.parameters.text("node").value_or(""),
        .device = call.parameters.text("device").value_or(""),
        .error = call.parameters.text("error").value_or(""),
        .attempt = static_cast<int>(call.parameters.integer("attempt_from").value_or(0)),
        .after = after,
        .limit = peek_limit(call)};
}

json task_json(const queue::Task& task) {
    return {{"task", task.number},
            {"first_item", task.first_item},
            {"items", task.items},
            {"state", task.state},
            {"attempt", task.attempt},
            {"node", text_or_null(task.node)},
            {"device", text_or_null(task.device)},
            {"device_class", text_or_null(task.device_class)},
            {"started_at", time_or_null(task.started_at)},
            {"ended_at", time_or_null(task.ended_at)},
            {"seconds", task.seconds ? json(*task.seconds) : json(nullptr)},
            {"items_succeeded", number_or_null(task.items_ok)},
            {"items_failed", number_or_null(task.items_failed)},
            {"error", text_or_null(task.error)}};
}

awaitable<Response> list_tasks(const Call& call, queue::JobStore& store) {
    const auto id = job_id_of(call.parameters.text("job_id"));
    auto filter = task_filter_of(call);
    auto found = need(co_await store.tasks(call.principal.team.id, id, std::move(filter)));
    co_return page_response(
        call, std::move(found.tasks), task_json,
        [](const auto& task) { return std::to_string(task.number); },
        found.examined_to ? std::optional(std::to_string(*found.examined_to)) : std::nullopt);
}

std::optional<queue::AttemptPlace> parse_attempt_id(const std::string& text) {
    queue::AttemptPlace place;
    return read_dotted(text, place.task, place.fence) ? std::optional(place) : std::nullopt;
}

// That of the last attempt of the previous page.
queue::AttemptPlace place_of(const Call& call) {
    const auto cursor = call.parameters.text("cursor");
    if (!cursor) return queue::AttemptPlace{};
    const auto place = parse_attempt_id(*cursor);
    if (!place) throw Refused(invalid_cursor());
    return *place;
}

json attempt_json(const queue::Attempt& attempt) {
    return {{"id", attempt_id(attempt.task, attempt.fence)},
            {"task", attempt.task},
            {"merge", attempt.merge},
            {"number", attempt.number},
            {"outcome", attempt.outcome},
            {"node", text_or_null(attempt.node)},
            {"device", text_or_null(attempt.device)},
            {"device_class", text_or_null(attempt.device_class)},
            {"started_at", time_or_null(attempt.started_at)},
            {"ended_at", time_or_null(attempt.ended_at)},
            {"seconds", attempt.seconds ? json(*attempt.seconds) : json(nullptr)},
            {"items_succeeded", number_or_null(attempt.items_ok)},
            {"items_failed", number_or_null(attempt.items_failed)},
            {"error", text_or_null(attempt.error)}};
}

awaitable<Response> list_attempts(const Call& call, queue::JobStore& store) {
    const auto id = job_id_of(call.parameters.text("job_id"));
    const auto after = place_of(call);
    auto attempts =
        need(co_await store.attempts(call.principal.team.id, id, after, peek_limit(call)));
    co_return page_response(call, std::move(attempts), attempt_json, [](const auto& attempt) {
        return attempt_id(attempt.task, attempt.fence);
    });
}

constexpr std::array<std::string_view, 3> kLevels = {"info", "warning", "error"};

// The id of a line, "TASK.FENCE.NUMBER", which is unique in its job.
std::string line_id(const queue::LogPlace& place) {
    return attempt_id(place.task, place.fence) + '.' + std::to_string(place.number);
}

// That of the last line of the previous page.
queue::LogPlace log_place_of(const Call& call) {
    queue::LogPlace place;
    const auto cursor = call.parameters.text("cursor");
    if (!cursor) return place;
    if (!read_dotted(*cursor, place.task, place.fence, place.number))
        throw Refused(invalid_cursor());
    return place;
}

std::optional<jobs::LogLevel> level_of(const Call& call) {
    const auto name = call.parameters.text("level");
    if (!name) return std::nullopt;
    const auto found = std::ranges::find(kLevels, *name);
    return static_cast<jobs::LogLevel>(found - kLevels.begin() + 1);
}

std::optional<int> number_of(const Call& call, std::string_view name) {
    const auto number = call.parameters.integer(name);
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::string_view name_of(jobs::LogLevel level) {
    return kLevels.at(static_cast<std::size_t>(level) - 1);
}

std::string_view name_of(queue::JobLogLine::Source source) {
    constexpr std::array<std::string_view, 3> kSources = {"queue", "worker", "supervisor"};
    return kSources.at(static_cast<std::size_t>(source));
}

json line_json(const queue::JobLogLine& line) {
    return {{"id", line_id(line.place)},
            {"task", line.place.task},
            {"merge", line.merge},
            {"attempt", line.attempt},
            {"attempt_id", attempt_id(line.place.task, line.place.fence)},
            {"at", to_rfc3339(line.at)},
            {"level", name_of(line.level)},
            {"source", name_of(line.source)},
            {"text", line.text}};
}

awaitable<Response> list_logs(const Call& call, queue::JobStore& store) {
    const auto id = job_id_of(call.parameters.text("job_id"));
    const auto after = log_place_of(call);
    const queue::LogFilter filter{.task = number_of(call, "task"),
                                  .attempt = number_of(call, "attempt"),
                                  .min = level_of(call),
                                  .from = time_parameter(call, "from"),
                                  .to = time_parameter(call, "to"),
                                  .after = after,
                                  .limit = peek_limit(call)};
    auto lines = need(co_await store.log(call.principal.team.id, id, filter));
    co_return page_response(call, std::move(lines), line_json,
                            [](const auto& line) { return line_id(line.place); });
}

}  // namespace

void add_job_tasks(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobTasks"] = [&store](const Call& call) { return list_tasks(call, store); };
}

void add_job_attempts(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobAttempts"] = [&store](const Call& call) { return list_attempts(call, store); };
}

void add_job_logs(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobLogs"] = [&store](const Call& call) { return list_logs(call, store); };
}

}  // namespace plimsoll::http::endpoints
