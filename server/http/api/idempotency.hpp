#pragma once

#include "server/base/awaitable.hpp"
#include "server/http/api/handler.hpp"
#include "server/teams/idempotency_store.hpp"

namespace plimsoll::http {

// 422: the key of a call belongs to another request.
Problem idempotency_mismatch();

// Runs the handler once per Idempotency-Key: a repeated call gets the first response. Refusals are
// not kept, so that a corrected call may use the key. Neither are responses with a secret: the
// repeated call gets 409 with the Location of the resource.
awaitable<Outcome<Response>> answer_once(const Call& call, const Handler& handler,
                                         teams::IdempotencyStore& idempotency);

}  // namespace plimsoll::http
