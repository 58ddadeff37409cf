// The parts of a job that run on devices, each with its latest attempt.
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"

#include <charconv>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

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

}  // namespace

void add_job_tasks(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobTasks"] = [&store](const Call& call) { return list_tasks(call, store); };
}

}  // namespace plimsoll::http::endpoints
