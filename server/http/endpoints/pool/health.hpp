#pragma once

#include "server/http/api/handler.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"

// Registers the health endpoint, which covers devices and the database; see endpoints.hpp.
namespace plimsoll::http::endpoints {

void add_health(Handlers& handlers, queue::JobStore& jobs, queue::ShareStore& shares);

}  // namespace plimsoll::http::endpoints
