#include "engine/base/json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/pool/pool_json.hpp"
#include "server/http/endpoints/query.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

awaitable<Response> list(queue::JobStore& store) {
    const auto devices = need(co_await store.devices());
    co_return json_response(200, {{"items", array_of(devices, device_json)}});
}

// The device after its worker was notified.
awaitable<Response> clean_up(const Call& call, queue::JobStore& store, queue::ShareStore& shares) {
    const auto node = call.parameters.text("node").value_or("");
    const auto device = call.parameters.text("device").value_or("");
    need(co_await shares.ask_cleanup(author_of(call), node, device));
    const auto devices = need(co_await store.devices());
    const auto found = std::ranges::find_if(devices, [&](const queue::DeviceStatus& one) {
        return one.node == node && one.device == device;
    });
    if (found == devices.end()) throw Refused(404, "The device was not found.");
    co_return json_response(202, device_json(*found));
}

}  // namespace

void add_devices(Handlers& handlers, queue::JobStore& store, queue::ShareStore& shares) {
    handlers["listDevices"] = [&store](const Call&) { return list(store); };
    handlers["cleanUpDevice"] = [&store, &shares](const Call& call) {
        return clean_up(call, store, shares);
    };
}

}  // namespace plimsoll::http::endpoints
