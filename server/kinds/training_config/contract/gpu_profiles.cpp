#include "server/kinds/training_config/contract/gpu_profiles.hpp"

#include "engine/base/json.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/contract/default_gpu.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

json figure(const tr::Figure& figure) {
    return {{"value", figure.value}, {"source", figure.source}};
}

json guide(const std::optional<tr::GuideSettings>& g) {
    if (!g) return nullptr;
    return {{"vram_gb", g->vram_gb},
            {"batch_size_1d", g->batch_size_1d},
            {"batch_size_1h", g->batch_size_1h},
            {"max_workers", g->max_workers},
            {"memory_per_model_1d_gb", g->memory_per_model_1d_gb},
            {"memory_per_model_1h_gb", g->memory_per_model_1h_gb},
            {"use_case", g->use_case},
            {"notes", g->notes}};
}

}  // namespace

json gpu_profile_json(const tr::GpuProfile& p) {
    return {{"id", p.id},
            {"name", p.name},
            {"architecture", p.architecture},
            {"compute_capability", std::to_string(p.compute_capability / 10) + "." +
                                       std::to_string(p.compute_capability % 10)},
            {"nominal_gb", p.sold_gb},
            {"memory_bytes", figure(p.memory_bytes)},
            {"context_bytes", figure(p.context_bytes)},
            {"multiprocessors", figure(p.multiprocessors)},
            {"bandwidth", figure(p.bandwidth)},
            {"fp32_flops", figure(p.fp32_flops)},
            {"tf32_flops", figure(p.tf32_flops)},
            {"fp16_flops", figure(p.fp16_flops)},
            {"bf16_flops", figure(p.bf16_flops)},
            {"custom", p.architecture == tr::kCustomArchitecture},
            {"guide", guide(p.guide)}};
}

json gpu_profiles_json(std::span<const tr::GpuProfile> custom) {
    const auto standard = default_gpu();
    json items = json::array();
    const tr::GpuCatalogue catalogue(custom);
    for (const auto& p : catalogue.all()) items.push_back(gpu_profile_json(p));
    return {{"default", standard ? standard->id : std::string(tr::kDefaultGpu)},
            {"items", std::move(items)}};
}

bool is_built_in_gpu(std::string_view id) {
    const auto shipped = tr::shipped_gpus();
    return std::ranges::find(shipped, id, &tr::GpuProfile::id) != shipped.end();
}

}  // namespace plimsoll::jobs::training_config
