#include "server/http/endpoints/device_json.hpp"
#include "server/http/endpoints/endpoints.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

awaitable<Outcome<Response>> list(queue::JobStore& store) {
    const auto devices = co_await store.devices();
    if (!devices) co_return tl::unexpected<Problem>(devices.error());
    auto items = json::array();
    for (const auto& device : *devices) items.push_back(device_json(device));
    co_return json_response(200, {{"items", std::move(items)}});
}

}  // namespace

void add_devices(Handlers& handlers, queue::JobStore& store) {
    handlers["listDevices"] = [&store](const Call&) { return list(store); };
}

}  // namespace plimsoll::http::endpoints
