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

}  // namespace

void add_job_attempts(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobAttempts"] = [&store](const Call& call) { return list_attempts(call, store); };
}

}  // namespace plimsoll::http::endpoints
