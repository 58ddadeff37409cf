#include "engine/base/json.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/contract/default_gpu.hpp"
#include "server/kinds/training_config/contract/request.hpp"

#include <algorithm>
#include <iterator>

namespace plimsoll::jobs::training_config {

namespace tr = ::plimsoll::training;

std::vector<tr::GpuProfile> parse_gpus(const json& args, FieldErrors& errors) {
    std::vector<tr::GpuProfile> custom;
    if (const auto described = args.find("custom_gpus"); described != args.end()) {
        for (std::size_t i = 0; i < described->size(); ++i) {
            auto gpu = parse_custom_gpu((*described)[i]);
            if (gpu) {
                custom.push_back(std::move(*gpu));
            } else {
                errors.push_back({"/custom_gpus/" + std::to_string(i) + gpu.error().where,
                                  "invalid", gpu.error().message});
            }
        }
    }
    const tr::GpuCatalogue catalogue(custom);
    std::vector<tr::GpuProfile> gpus;
    const auto named = args.find("gpus");
    if (named == args.end()) {
        if (!custom.empty()) return custom;
        // The server sets it from the setting training.gpu_profile, which it has checked.
        const auto standard = default_gpu();
        if (standard) return {*standard};
        errors.push_back({"/gpus", "unknown_gpu", standard.error().message});
        return {};
    }
    for (std::size_t i = 0; i < named->size(); ++i) {
        const auto id = (*named)[i].get<std::string>();
        if (id == "all") {
            gpus.clear();
            std::ranges::copy_if(catalogue.all(), std::back_inserter(gpus),
                                 &tr::GpuProfile::common);
            continue;
        }
        auto gpu = catalogue.find(id);
        if (!gpu) {
            errors.push_back(
                {"/gpus/" + std::to_string(i), "unknown_gpu", std::move(gpu.error().message)});
        } else if (std::ranges::find(gpus, gpu->id, &tr::GpuProfile::id) == gpus.end()) {
            gpus.push_back(std::move(*gpu));
        }
    }
    return gpus;
}

}  // namespace plimsoll::jobs::training_config
