#include "server/planning/argument_completion.hpp"

namespace plimsoll::planning {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr int kNewestMeasurements = 200;

bool usable(const queue::DeviceStatus& device) {
    return device.device_class == "gpu" && (device.state == "ready" || device.state == "busy");
}

}  // namespace

awaitable<tl::expected<json, Refusal>> ArgumentCompletion::complete(TeamId team,
                                                                    const json& args) const {
    advice::Knowledge knowledge;
    auto cards = co_await records_.cards(team);
    if (!cards) co_return tl::unexpected<Refusal>(cards.error());
    knowledge.cards = std::move(*cards);
    auto measured = co_await records_.measurements(team, {}, kNewestMeasurements);
    if (!measured) co_return tl::unexpected<Refusal>(measured.error());
    knowledge.measurements = std::move(*measured);
    const auto devices = co_await jobs_.devices();
    if (!devices) co_return tl::unexpected<Refusal>(devices.error());
    for (const auto& device : *devices) {
        if (usable(device)) {
            knowledge.devices.push_back({device.node, device.name, device.memory_bytes});
        }
    }
    auto completed = advisor_.complete(args, knowledge);
    if (!completed) co_return tl::unexpected<Refusal>(completed.error());
    co_return std::move(*completed);
}

}  // namespace plimsoll::planning
