// The attempts at a job's tasks: where, when, and how each ended.
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

std::optional<queue::AttemptPlace> parse_attempt_id(const std::string& text) {
    queue::AttemptPlace place;
    return read_dotted(text, place.task, place.fence) ? std::optional(place) : std::nullopt;
}

// That of the last attempt of the previous page.
Outcome<queue::AttemptPlace> place_of(const Call& call) {
    const auto cursor = call.parameters.text("cursor");
    if (!cursor) return queue::AttemptPlace{};
    const auto place = parse_attempt_id(*cursor);
    if (!place) return tl::unexpected(invalid_cursor());
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

awaitable<Outcome<Response>> list_attempts(const Call& call, queue::JobStore& store) {
    const auto id = job_id_of(call.parameters.text("job_id"));
    if (!id) co_return tl::unexpected(id.error());
    const auto after = place_of(call);
    if (!after) co_return tl::unexpected(after.error());
    const auto limit = page_limit(call);
    auto attempts =
        co_await store.attempts(call.principal.team.id, *id, *after, static_cast<int>(limit) + 1);
    if (!attempts) co_return tl::unexpected<Problem>(attempts.error());
    const bool more = attempts->size() > limit;
    if (more) attempts->resize(limit);
    JsonWriter page;
    page.begin_object().key("items").begin_array();
    for (const auto& attempt : *attempts) page.json(to_text(attempt_json(attempt)));
    page.end_array();
    std::optional<std::string> next;
    if (more) next = attempt_id(attempts->back().task, attempts->back().fence);
    co_return page_response(call, std::move(page), next);
}

awaitable<Outcome<Response>> get_attempt(const Call& call, queue::JobStore& store) {
    const auto job = job_id_of(call.parameters.text("job_id"));
    if (!job) co_return tl::unexpected(job.error());
    const auto id = call.parameters.text("attempt_id").value_or("");
    auto before = parse_attempt_id(id);
    if (!before || before->fence <= 0) co_return refuse(404, "The attempt was not found.");
    --before->fence;
    const auto found = co_await store.attempts(call.principal.team.id, *job, *before, 1);
    if (!found) co_return tl::unexpected<Problem>(found.error());
    if (found->empty() || attempt_id(found->front().task, found->front().fence) != id) {
        co_return refuse(404, "The attempt was not found.");
    }
    co_return json_response(200, attempt_json(found->front()));
}

}  // namespace

void add_job_attempts(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobAttempts"] = [&store](const Call& call) { return list_attempts(call, store); };
    handlers["getJobAttempt"] = [&store](const Call& call) { return get_attempt(call, store); };
}

}  // namespace plimsoll::http::endpoints
