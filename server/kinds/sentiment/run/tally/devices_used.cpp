#include "server/kinds/sentiment/run/tally/devices_used.hpp"

#include "engine/opencl/probing/capability.hpp"
#include "server/kinds/sentiment/run/text_or_null.hpp"

namespace plimsoll::jobs::sentiment {

using nlohmann::json;

DeviceUsed device_of(const RunContext& context) {
    DeviceUsed used{
        .node = std::string(context.node), .device = "host", .name = {}, .processor_class = {}};
    if (context.capability == nullptr) return used;
    const auto& info = context.capability->info;
    used.device = to_string(info.address);
    used.name = info.name;
    used.processor_class = info.processor_class;
    return used;
}

void DevicesUsed::add(const DeviceUsed& device, std::int64_t items) {
    if (items > 0) items_[device] += items;
}

void DevicesUsed::add(const DevicesUsed& other) {
    for (const auto& [device, items] : other.items_) add(device, items);
}

json DevicesUsed::to_json() const {
    auto stored = json::array();
    for (const auto& [device, items] : items_) {
        stored.push_back({device.node, device.device, device.name, device.processor_class, items});
    }
    return stored;
}

DevicesUsed DevicesUsed::from_json(const json& stored) {
    DevicesUsed used;
    for (const json& one : stored)
        used.add({one.at(0), one.at(1), one.at(2), one.at(3)}, one.at(4));
    return used;
}

json DevicesUsed::summary() const {
    auto shown = json::array();
    for (const auto& [device, items] : items_) {
        shown.push_back({{"device", device.node + "/" + device.device},
                         {"name", text_or_null(device.name)},
                         {"processor_class", text_or_null(device.processor_class)},
                         {"items", items}});
    }
    return shown;
}

}  // namespace plimsoll::jobs::sentiment
