#include "server/kinds/training_config/contract/complete.hpp"

#include "engine/base/json.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/contract/collections.hpp"
#include "server/kinds/training_config/contract/default_gpu.hpp"
#include "server/kinds/training_config/contract/measurement.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

bool contains(const json& list, const std::string& id) {
    return std::ranges::any_of(
        list, [&](const json& one) { return one.value("id", std::string(kCustomGpu)) == id; });
}

// The GPU of the pool with the most memory, described by its profile and its own memory.
const PoolDevice* roomiest(const std::vector<PoolDevice>& devices) {
    const auto found = std::ranges::max_element(devices, {}, &PoolDevice::memory_bytes);
    return found == devices.end() || found->memory_bytes == 0 ? nullptr : &*found;
}

// Replaces "auto", and describes the team's own cards where they are named.
FieldErrors complete_gpus(json& args, const PlanningContext& planning_context) {
    if (!args.contains("gpus")) {
        // The default card, if the team describes it otherwise.
        const auto standard = default_gpu();
        for (const auto& card : planning_context.records_of(kGpuProfiles))
            if (standard && card.id == standard->id && !args.contains("custom_gpus"))
                args["gpus"] = {card.id};
    }
    if (!args.contains("gpus")) return {};
    json described = args.value("custom_gpus", json::array());
    for (std::size_t i = 0; i < args["gpus"].size(); ++i) {
        json& id = args["gpus"][i];
        if (id == "auto") {
            const auto* device = roomiest(planning_context.devices);
            if (device == nullptr) {
                return {{"/gpus/" + std::to_string(i), "no_device",
                         "The pool has no GPU for \"auto\": name a GPU profile."}};
            }
            auto profile = tr::profile_for({device->name, device->memory_bytes});
            profile.name = device->name + " (" + device->node + ")";
            id = profile.id;
            if (!contains(described, profile.id)) described.push_back(custom_gpu_json(profile));
            continue;
        }
        for (const auto& card : planning_context.records_of(kGpuProfiles)) {
            const bool meant = id == card.id || id == "all";
            if (meant && !contains(described, card.id)) described.push_back(json::parse(card.data));
        }
    }
    if (!described.empty()) args["custom_gpus"] = std::move(described);
    return {};
}

void complete_correction(json& args, const PlanningContext& planning_context) {
    const auto& measurements = planning_context.records_of(kMeasurements);
    if (!args.value("correction", json()).is_null() || measurements.empty()) return;
    const auto request = parse_request(args);
    if (!request) return;  // the plan says what is wrong
    auto correction = correct(measurements, comparison_key_of(*request));
    if (correction.evidence.empty()) return;
    args["correction"] = {{"factor", correction.factor},
                          {"measurements", std::move(correction.evidence)}};
}

}  // namespace

tl::expected<json, FieldErrors> complete(json args, const PlanningContext& planning_context) {
    if (auto errors = complete_gpus(args, planning_context); !errors.empty())
        return tl::unexpected(std::move(errors));
    complete_correction(args, planning_context);
    return args;
}

}  // namespace plimsoll::jobs::training_config
