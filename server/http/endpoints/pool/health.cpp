#include "server/http/endpoints/pool/health.hpp"

#include "server/http/endpoints/pool/device_json.hpp"
#include "server/http/endpoints/pool/share_json.hpp"

namespace plimsoll::http::endpoints {

namespace {

boost::asio::awaitable<Outcome<Response>> health(queue::JobStore& jobs, queue::ShareStore& shares) {
    const auto devices = co_await jobs.devices();
    if (!devices) co_return tl::unexpected<Problem>(devices.error());
    const auto holders = co_await shares.vacuum_holders();
    if (!holders) co_return tl::unexpected<Problem>(holders.error());
    auto health = health_json(*devices);
    health["warnings"] = warnings_json(*holders);
    if (!health["warnings"].empty()) health["status"] = "degraded";
    co_return json_response(200, health);
}

}  // namespace

void add_health(Handlers& handlers, queue::JobStore& jobs, queue::ShareStore& shares) {
    handlers["getDeviceHealth"] = [&jobs, &shares](const Call&) { return health(jobs, shares); };
}

}  // namespace plimsoll::http::endpoints
