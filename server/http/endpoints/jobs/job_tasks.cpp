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
Outcome<int> task_cursor(const Call& call) {
    const auto cursor = call.parameters.text("cursor");
    if (!cursor) return -1;
    int number = 0;
    const char* const end = cursor->data() + cursor->size();
    const auto [rest, bad] = std::from_chars(cursor->data(), end, number);
    if (bad != std::errc() || rest != end) return tl::unexpected(invalid_cursor());
    return number;
}

Outcome<queue::TaskFilter> task_filter_of(const Call& call) {
    const auto after = task_cursor(call);
    if (!after) return tl::unexpected(after.error());
    return queue::TaskFilter{
        .state = call.parameters.text("state").value_or(""),
        .node = call.parameters.text("node").value_or(""),
        .device = call.parameters.text("device").value_or(""),
        .error = call.parameters.text("error").value_or(""),
        .attempt = static_cast<int>(call.parameters.integer("attempt_from").value_or(0)),
        .after = *after,
        .limit = static_cast<int>(page_limit(call)) + 1};
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

awaitable<Outcome<Response>> list_tasks(const Call& call, queue::JobStore& store) {
    const auto id = job_id_of(call.parameters.text("job_id"));
    if (!id) co_return tl::unexpected(id.error());
    auto filter = task_filter_of(call);
    if (!filter) co_return tl::unexpected(std::move(filter.error()));
    auto found = co_await store.tasks(call.principal.team.id, *id, std::move(*filter));
    if (!found) co_return tl::unexpected<Problem>(found.error());
    auto next = found->examined_to;
    if (const auto limit = page_limit(call); found->tasks.size() > limit) {
        found->tasks.resize(limit);
        next = found->tasks.back().number;
    }
    JsonWriter page;
    page.begin_object().key("items").begin_array();
    for (const auto& task : found->tasks) page.json(to_text(task_json(task)));
    page.end_array();
    co_return page_response(call, std::move(page),
                            next ? std::optional(std::to_string(*next)) : std::nullopt);
}

awaitable<Outcome<Response>> get_task(const Call& call, queue::JobStore& store) {
    const auto id = job_id_of(call.parameters.text("job_id"));
    if (!id) co_return tl::unexpected(id.error());
    const auto number = static_cast<int>(call.parameters.integer("task").value_or(0));
    const auto found =
        co_await store.tasks(call.principal.team.id, *id, {.after = number - 1, .limit = 1});
    if (!found) co_return tl::unexpected<Problem>(found.error());
    if (found->tasks.empty() || found->tasks.front().number != number) {
        co_return refuse(404, "The task was not found.");
    }
    co_return json_response(200, task_json(found->tasks.front()));
}

}  // namespace

void add_job_tasks(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobTasks"] = [&store](const Call& call) { return list_tasks(call, store); };
    handlers["getJobTask"] = [&store](const Call& call) { return get_task(call, store); };
}

}  // namespace plimsoll::http::endpoints
