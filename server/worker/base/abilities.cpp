#include "server/worker/base/abilities.hpp"

#include "engine/opencl/probing/capability.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::worker {

void describe_abilities(std::span<const jobs::Run> kinds, const jobs::KindSettings& settings,
                        queue::WorkerInfo& info) {
    // The host's record is not that of an OpenCL device.
    const auto device = opencl::capability_from_json(info.capability);
    info.abilities.clear();
    info.offers.clear();
    auto offers = nlohmann::json::object();
    for (const auto& kind : kinds) {
        if (kind.abilities == nullptr) continue;
        auto can = kind.abilities(settings, device ? &*device : nullptr);
        info.abilities.insert(info.abilities.end(), can.names.begin(), can.names.end());
        if (!can.offer.empty()) {
            offers[std::string(kind.name)] = nlohmann::json::parse(can.offer);
        }
    }
    if (!offers.empty()) info.offers = offers.dump();
}

}  // namespace plimsoll::worker
