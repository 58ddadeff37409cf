#include "server/planning/argument_completion.hpp"

#include <algorithm>

namespace plimsoll::planning {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

bool is_ready(const queue::DeviceStatus& device) {
    return device.state == "ready" || device.state == "busy";
}

}  // namespace

awaitable<tl::expected<json, Refusal>> ArgumentCompletion::complete(TeamId team,
                                                                    const jobs::Contract& kind,
                                                                    const json& args) const {
    jobs::Knowledge knowledge;
    for (const auto& collection : kind.collections) {
        auto records = co_await records_.list(collection, team, {}, collection.completing);
        if (!records) co_return tl::unexpected<Refusal>(records.error());
        knowledge.records.emplace(collection.name, std::move(*records));
    }
    const auto devices = co_await jobs_.devices();
    if (!devices) co_return tl::unexpected<Refusal>(devices.error());
    for (const auto& device : *devices) {
        if (!is_ready(device)) continue;
        if (device.device_class == "gpu") {
            knowledge.devices.push_back({device.node, device.name, device.memory_bytes});
        }
        if (auto offers = queue::offers_of(device); !offers.empty()) {
            knowledge.offers.push_back(std::move(offers));
        }
    }
    auto completed = kind.complete(args, knowledge);
    if (!completed) co_return tl::unexpected<Refusal>(completed.error());
    co_return std::move(*completed);
}

awaitable<tl::expected<json, Refusal>> ArgumentCompletion::with_class_of_device(
    const json& args) const {
    const auto& name = args.at("device").get_ref<const std::string&>();
    const auto devices = co_await jobs_.devices();
    if (!devices) co_return tl::unexpected<Refusal>(devices.error());
    const auto found = std::ranges::find_if(
        *devices, [&](const auto& device) { return device.node + "/" + device.device == name; });
    if (found == devices->end()) {
        co_return tl::unexpected<Refusal>(jobs::FieldErrors{
            {"/device", "unknown_device",
             "There is no device \"" + name + "\": name one of GET /v1/devices as node/device."}});
    }
    json settled = args;
    if (settled.value("device_class", found->device_class) != found->device_class) {
        co_return tl::unexpected<Refusal>(jobs::FieldErrors{
            {"/device_class", "other_class",
             "The device is of class " + found->device_class + ": leave the class out."}});
    }
    settled["device_class"] = found->device_class;
    co_return settled;
}

}  // namespace plimsoll::planning
