#pragma once

#include "server/webhooks/webhook.hpp"

namespace plimsoll::webhooks {

// The body of a notice, the same in every attempt:
// {"type": "job.finished", "timestamp": when the job ended, "data": {"id", "kind", "name",
//  "labels", "state", "items_total", "items_failed", "links"}}; "data" of a test is empty.
std::string body_of(const Outgoing& notice);

}  // namespace plimsoll::webhooks
