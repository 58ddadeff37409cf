#include "server/http/api/idempotency.hpp"

#include "server/base/log.hpp"
#include "server/http/messages/fingerprint.hpp"

namespace plimsoll::http {

namespace {

constexpr const char* kKey = "Idempotency-Key";

Problem key_refused(const Error& error) {
    if (error.code == Errc::cancelled) {
        return Problem(
            409,
            "The first request with this Idempotency-Key has no response yet. If its server has "
            "stopped, check whether the request created something, and use another key.");
    }
    return error.code == Errc::conflict ? idempotency_mismatch() : Problem(error);
}

Outcome<Response> replayed(teams::StoredResponse kept) {
    if (!kept.body) {
        Problem problem(409,
                        "An earlier request with this Idempotency-Key created the resource; only "
                        "its response contained the secret.");
        problem.slug = "already-made";
        if (!kept.location.empty()) problem.headers.push_back({"Location", kept.location});
        problem.headers.push_back({"Idempotency-Replayed", "true"});
        return tl::unexpected(std::move(problem));
    }
    auto response = json_text_response(kept.status, std::move(*kept.body));
    if (!kept.location.empty()) response.with("Location", kept.location);
    response.with("Idempotency-Replayed", "true");
    return response;
}

}  // namespace

Problem idempotency_mismatch() {
    Problem problem(422, "This Idempotency-Key was used with another request.");
    problem.slug = "idempotency-mismatch";
    problem.errors.push_back({{}, kKey, "was used with another request"});
    return problem;
}

awaitable<Outcome<Response>> respond(const Call& call, const Handler& handler) {
    try {
        co_return co_await handler(call);
    } catch (Refused& refused) {
        co_return tl::unexpected(std::move(refused.problem));
    }
}

awaitable<Outcome<Response>> answer_once(const Call& call, const Handler& handler,
                                         teams::IdempotencyStore& idempotency) {
    const auto key = call.parameters.text(kKey);
    if (!key) co_return co_await respond(call, handler);
    const auto team = call.principal.team.id;
    auto print =
        fingerprint(call.operation.id + ' ' + call.request.target + '\n' + call.body_fingerprint);
    auto reserved = co_await idempotency.reserve(team, *key, std::move(print));
    if (!reserved) co_return tl::unexpected(key_refused(reserved.error()));
    if (*reserved) co_return replayed(std::move(**reserved));
    auto answered = co_await respond(call, handler);
    if (!answered) {
        if (auto released = co_await idempotency.release(team, *key); !released)
            log::warn("cannot release an Idempotency-Key", {{"why", released.error().message}});
        co_return answered;
    }
    const auto location = find_header(answered->headers, "Location").value_or("");
    teams::StoredResponse kept{answered->status, std::string(location), std::nullopt};
    if (call.operation.keeps == Operation::Keeps::whole) kept.body = answered->body;
    if (auto done = co_await idempotency.keep(team, *key, std::move(kept)); !done)
        log::warn("cannot store a response", {{"why", done.error().message}});
    co_return answered;
}

}  // namespace plimsoll::http
