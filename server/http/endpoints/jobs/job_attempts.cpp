// What was tried for a job: where, when, and how each attempt ended.
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"

#include <charconv>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

// "TASK.FENCE" of the last attempt of a page.
Outcome<queue::AttemptPlace> place_of(const Call& call) {
    const auto cursor = call.parameters.text("cursor");
    queue::AttemptPlace place;
    if (!cursor) return place;
    const char* const end = cursor->data() + cursor->size();
    const auto [dot, bad_task] = std::from_chars(cursor->data(), end, place.task);
    if (bad_task != std::errc() || dot == end || *dot != '.') {
        return tl::unexpected(invalid_cursor());
    }
    const auto [rest, bad_fence] = std::from_chars(dot + 1, end, place.fence);
    if (bad_fence != std::errc() || rest != end) return tl::unexpected(invalid_cursor());
    return place;
}

json attempt_json(const queue::Attempt& attempt) {
    return {{"task", attempt.task},
            {"merge", attempt.merge},
            {"number", attempt.number},
            {"outcome", attempt.outcome},
            {"node", text_or_null(attempt.node)},
            {"device", text_or_null(attempt.device)},
            {"device_class", text_or_null(attempt.device_class)},
            {"started_at", time_or_null(attempt.started_at)},
            {"ended_at", time_or_null(attempt.ended_at)},
            {"seconds", attempt.seconds ? json(*attempt.seconds) : json(nullptr)},
            {"items_ok", number_or_null(attempt.items_ok)},
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
    if (more) {
        const auto& last = attempts->back();
        next = std::to_string(last.task) + '.' + std::to_string(last.fence);
    }
    co_return page_response(call, std::move(page), next);
}

}  // namespace

void add_job_attempts(Handlers& handlers, queue::JobStore& store) {
    handlers["listJobAttempts"] = [&store](const Call& call) { return list_attempts(call, store); };
}

}  // namespace plimsoll::http::endpoints
