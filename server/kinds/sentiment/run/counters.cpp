#include "server/kinds/sentiment/run/counters.hpp"

#include "engine/base/json.hpp"
#include "engine/opencl/probing/capability.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {

json choices_json(const Counter<Choice>& choices) {
    auto shown = json::array();
    for (const auto& [choice, texts] : choices.texts()) {
        shown.push_back({{"model", choice.model.name},
                         {"model_hash", text_or_null(choice.model.hash)},
                         {"form", text_or_null(choice.model.form)},
                         {"asked", choice.asked},
                         {"rule", choice.rule == 0 ? json(nullptr) : json(choice.rule)},
                         {"fallback", text_or_null(choice.fallback)},
                         {"items", texts}});
    }
    return shown;
}

const UsableModel* only_model(const Counter<Choice>& choices) {
    if (choices.texts().empty()) return nullptr;
    const auto& first = choices.texts().begin()->first.model;
    const bool same = std::ranges::all_of(choices.texts(), [&](const auto& entry) {
        return entry.first.model.name == first.name && entry.first.model.hash == first.hash;
    });
    return same ? &first : nullptr;
}

bool read_tokens(const Counter<Choice>& choices) {
    return std::ranges::any_of(choices.texts(),
                               [](const auto& entry) { return !entry.first.model.hash.empty(); });
}

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

json devices_json(const Counter<DeviceUsed>& devices) {
    auto shown = json::array();
    for (const auto& [device, texts] : devices.texts()) {
        shown.push_back({{"device", device.node + "/" + device.device},
                         {"name", text_or_null(device.name)},
                         {"processor_class", text_or_null(device.processor_class)},
                         {"items", texts}});
    }
    return shown;
}

}  // namespace plimsoll::jobs::sentiment
