#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "server/jobs/training_config/contract/request.hpp"

#include <algorithm>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

using nlohmann::json;
namespace tr = ::plimsoll::training;

Result<tr::GpuProfile> parse_custom_gpu(const json& from) {
    tr::CustomGpu gpu;
    gpu.id = from.at("id");
    gpu.name = from.value("name", gpu.id);
    gpu.memory_gib = from.at("memory_gib");
    gpu.context_gib = from.value("context_gib", gpu.context_gib);
    gpu.bandwidth_gb_s = from.at("bandwidth_gb_s");
    gpu.fp32_tflops = from.at("fp32_tflops");
    gpu.fp16_tflops = from.value("fp16_tflops", 0.0);
    gpu.bf16_tflops = from.value("bf16_tflops", 0.0);
    gpu.compute_capability = from.value("compute_capability", gpu.compute_capability);
    gpu.multiprocessors = from.value("multiprocessors", gpu.multiprocessors);
    return tr::make_custom_gpu(gpu);
}

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
        const char* chosen = std::getenv("GPU_PROFILE");
        const auto standard = tr::gpu_guide::resolve(chosen != nullptr ? chosen : "");
        if (standard) return {*standard};
        errors.push_back({"/gpus", "unknown_gpu", standard.error().message});
        return {};
    }
    for (std::size_t i = 0; i < named->size(); ++i) {
        const auto id = (*named)[i].get<std::string>();
        if (id == "all") {
            gpus.assign(catalogue.all().begin(), catalogue.all().end());
            continue;
        }
        auto gpu = catalogue.find(id);
        if (!gpu) {
            errors.push_back(
                {"/gpus/" + std::to_string(i), "unknown_gpu", std::move(gpu.error().message)});
        } else if (std::ranges::find(gpus, id, &tr::GpuProfile::id) == gpus.end()) {
            gpus.push_back(std::move(*gpu));
        }
    }
    return gpus;
}

}  // namespace plimsoll::jobs::training_config
