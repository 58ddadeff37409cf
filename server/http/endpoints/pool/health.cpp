#include "server/http/endpoints/pool/health.hpp"

#include "server/http/endpoints/pool/pool_json.hpp"

namespace plimsoll::http::endpoints {

namespace {

awaitable<Response> health(queue::JobStore& jobs, queue::ShareStore& shares) {
    const auto devices = need(co_await jobs.devices());
    const auto holders = need(co_await shares.vacuum_holders());
    auto health = health_json(devices);
    health["warnings"] = warnings_json(holders);
    if (!health["warnings"].empty()) health["status"] = "degraded";
    co_return json_response(200, health);
}

}  // namespace

void add_health(Handlers& handlers, queue::JobStore& jobs, queue::ShareStore& shares) {
    handlers["getDeviceHealth"] = [&jobs, &shares](const Call&) { return health(jobs, shares); };
}

}  // namespace plimsoll::http::endpoints
