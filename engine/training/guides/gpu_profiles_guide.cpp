#include "engine/training/guides/gpu_profiles_guide.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace plimsoll::training::gpu_guide {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string lower(std::string_view text) {
    std::string out(text);
    for (auto& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

GpuProfile shipped(std::string_view id) {
    const auto all = shipped_gpus();
    return *std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.id == id; });
}

}  // namespace

Result<GpuProfile> resolve(std::string_view gpu_profile_variable) {
    if (gpu_profile_variable.empty()) return shipped(kDefaultGpu);
    auto found = GpuCatalogue().find(lower(gpu_profile_variable));
    if (!found) found.error().where = "GPU_PROFILE";
    return found;
}

int batch_size(const GuideSettings& s, std::string_view interval) {
    return interval == "1d" ? s.batch_size_1d : s.batch_size_1h;
}

int memory_per_model_gb(const GuideSettings& s, std::string_view interval) {
    return interval == "1d" ? s.memory_per_model_1d_gb : s.memory_per_model_1h_gb;
}

double training_minutes(const GuideSettings& settings, std::string_view interval,
                        const TrainingTime& run) {
    constexpr double iterations_per_second = 15;
    const long steps = run.samples / batch_size(settings, interval);
    const double seconds = static_cast<double>(steps) * run.epochs / iterations_per_second;
    return seconds * run.models / settings.max_workers / 60;
}

Check check(const GpuProfile& profile, const DetectedGpu& card) {
    Check c;
    c.total_gb = static_cast<double>(card.total_bytes) / kGiB;
    c.required_gb = profile.guide ? profile.guide->vram_gb : profile.memory_bytes.value / kGiB;
    c.enough_memory = c.total_gb >= 0.95 * c.required_gb;
    c.warnings = warnings(profile);
    if (!c.enough_memory)
        c.warnings.push_back(fmt::format("{} has {:.1f} GiB; the profile {} expects {:.0f} GB.",
                                         card.name, c.total_gb, profile.id, c.required_gb));
    return c;
}

std::vector<std::string> warnings(const GpuProfile& profile) {
    std::vector<std::string> out;
    if (!profile.guide) return out;
    const auto& g = *profile.guide;
    const int models = g.max_workers * g.memory_per_model_1h_gb;
    const double context_gb = profile.context_bytes.value / kGiB;
    if (models + g.max_workers * context_gb > g.vram_gb)
        out.push_back(
            fmt::format("{} x {} GB + {} CUDA contexts (about {:.1f} GB each) > {} GB: {} hourly "
                        "models at the guide's batch do not fit at the same time.",
                        g.max_workers, g.memory_per_model_1h_gb, g.max_workers, context_gb,
                        g.vram_gb, g.max_workers));
    if (profile.id == "rtx_5090")
        out.emplace_back(
            "The guide's text allows 2-3 workers, its profile 2; this estimate uses 2.");
    return out;
}

}  // namespace plimsoll::training::gpu_guide
