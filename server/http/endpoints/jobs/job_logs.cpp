// The log of a job's tasks: what the queue, workers and supervisors say about each attempt.
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

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
    if (!read_dotted(*cursor, place.task, place.fence, place.number)) {
        throw Refused(invalid_cursor());
    }
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
                                  .least = level_of(call),
                                  .from = time_parameter(call, "from"),
                                  .to = time_parameter(call, "to"),
                                  .after = after,
                                  .limit = peek_limit(call)};
    auto lines = need(co_await store.log(call.principal.team.id, id, filter));
    co_return page_response(call, std::move(lines), line_json,
                            [](const auto& line) { return line_id(line.place); });
}

}  // namespace

void add_job_logs(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobLogs"] = [&store](const Call& call) { return list_logs(call, store); };
}

}  // namespace plimsoll::http::endpoints
