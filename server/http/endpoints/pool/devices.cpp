#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/pool/device_json.hpp"

#include <algorithm>

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

struct Place {
    std::string node;
    std::string device;
};

Place place_in_path(const Call& call) {
    return {call.parameters.text("node").value_or(""), call.parameters.text("device").value_or("")};
}

awaitable<Outcome<Response>> read(queue::JobStore& store, Place place, int status) {
    const auto devices = co_await store.devices();
    if (!devices) co_return tl::unexpected<Problem>(devices.error());
    const auto found = std::ranges::find_if(*devices, [&](const queue::DeviceStatus& device) {
        return device.node == place.node && device.device == place.device;
    });
    if (found == devices->end()) co_return refuse(404, "The device was not found.");
    co_return json_response(status, device_json(*found));
}

// The device after its worker was notified.
awaitable<Outcome<Response>> clean_up(const Call& call, queue::JobStore& store,
                                      queue::ShareStore& shares) {
    const auto place = place_in_path(call);
    const auto asked = co_await shares.ask_cleanup(author_of(call), place.node, place.device);
    if (!asked) co_return tl::unexpected<Problem>(asked.error());
    co_return co_await read(store, place, 202);
}

}  // namespace

void add_devices(Handlers& handlers, queue::JobStore& store, queue::ShareStore& shares) {
    handlers["listDevices"] = [&store](const Call&) { return list(store); };
    handlers["getDevice"] = [&store](const Call& call) {
        return read(store, place_in_path(call), 200);
    };
    handlers["cleanUpDevice"] = [&store, &shares](const Call& call) {
        return clean_up(call, store, shares);
    };
}

}  // namespace plimsoll::http::endpoints
