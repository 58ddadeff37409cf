#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

json device_json(const queue::DeviceStatus& device) {
    return {
        {"node", device.node},
        {"device", device.device},
        {"device_class", device.device_class},
        {"name", device.name},
        {"state", device.state},
        {"reason", text_or_null(device.reason)},
        {"memory_bytes", device.memory_bytes > 0 ? json(device.memory_bytes) : json(nullptr)},
        {"tasks_running", device.tasks_running},
        {"seen_at", time_or_null(device.seen_at)},
    };
}

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
