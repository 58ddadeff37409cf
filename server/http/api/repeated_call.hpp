#pragma once

#include "server/http/api/handler.hpp"
#include "server/queue/answer_store.hpp"

#include <boost/asio/awaitable.hpp>

namespace plimsoll::http {

// Runs the handler, once for each Idempotency-Key: a call that repeats one gets the first answer.
// What a call refuses is not kept, so that a corrected one may use the key. An answer that holds a
// secret is not kept either: the repeated call gets 409 with the Location of what was made.
boost::asio::awaitable<Outcome<Response>> answer_once(const Call& call, const Handler& handler,
                                                      queue::AnswerStore& answers);

}  // namespace plimsoll::http
