#include "server/jobs/training_config/contract/complete.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "server/jobs/training_config/contract/collections.hpp"
#include "server/jobs/training_config/contract/measurement.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;
namespace tr = ::plimsoll::training;

constexpr double kGiB = 1024.0 * 1024 * 1024;

json custom_json(const tr::GpuProfile& p) {
    const auto tera = [](const tr::Figure& figure) { return figure.value / 1e12; };
    return {{"id", p.id},
            {"name", p.name},
            {"memory_gib", p.memory_bytes.value / kGiB},
            {"context_gib", p.context_bytes.value / kGiB},
            {"bandwidth_gb_s", p.bandwidth.value / 1e9},
            {"fp32_tflops", tera(p.fp32_flops)},
            {"fp16_tflops", tera(p.fp16_flops)},
            {"bf16_tflops", tera(p.bf16_flops)},
            {"compute_capability", p.compute_capability},
            {"multiprocessors", static_cast<int>(p.multiprocessors.value)}};
}

bool has(const json& list, const std::string& id) {
    return std::ranges::any_of(list, [&](const json& one) { return one.at("id") == id; });
}

// The roomiest GPU of the pool, described by the profile that fits it and by its own memory.
const PoolDevice* roomiest(const std::vector<PoolDevice>& devices) {
    const auto found = std::ranges::max_element(devices, {}, &PoolDevice::memory_bytes);
    return found == devices.end() || found->memory_bytes == 0 ? nullptr : &*found;
}

// Replaces "auto", and describes the team's own cards where they are named.
FieldErrors complete_gpus(json& args, const Knowledge& knowledge) {
    if (!args.contains("gpus")) return {};
    json described = args.value("custom_gpus", json::array());
    for (std::size_t i = 0; i < args["gpus"].size(); ++i) {
        json& id = args["gpus"][i];
        if (id == "auto") {
            const auto* device = roomiest(knowledge.devices);
            if (device == nullptr) {
                return {{"/gpus/" + std::to_string(i), "no_device",
                         "The pool has no GPU that \"auto\" could take: name a card."}};
            }
            auto profile = tr::profile_for({device->name, device->memory_bytes});
            profile.name = device->name + " (" + device->node + ")";
            id = profile.id;
            if (!has(described, profile.id)) described.push_back(custom_json(profile));
            continue;
        }
        for (const auto& card : knowledge.records.at(kGpuProfiles.name)) {
            const bool meant = id == card.id || id == "all";
            if (meant && !has(described, card.id)) described.push_back(json::parse(card.data));
        }
    }
    if (!described.empty()) args["custom_gpus"] = std::move(described);
    return {};
}

void complete_correction(json& args, const Knowledge& knowledge) {
    const auto& measurements = knowledge.records.at(kMeasurements.name);
    if (!args.value("correction", json()).is_null() || measurements.empty()) return;
    const auto request = parse_request(args);
    if (!request) return;  // the plan says what is wrong
    auto correction = correct(measurements, comparison_key_of(*request));
    if (correction.evidence.empty()) return;
    args["correction"] = {{"factor", correction.factor},
                          {"measurements", std::move(correction.evidence)}};
}

}  // namespace

tl::expected<json, FieldErrors> complete(json args, const Knowledge& knowledge) {
    if (auto errors = complete_gpus(args, knowledge); !errors.empty()) {
        return tl::unexpected(std::move(errors));
    }
    complete_correction(args, knowledge);
    return args;
}

}  // namespace plimsoll::jobs::training_config
