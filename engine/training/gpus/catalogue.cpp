#include "engine/training/gpus/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace plimsoll::training {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// Letters and digits alone: "NVIDIA A100-SXM4-80GB" and "a100_80gb" share "a100" and "80gb".
std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out(1);
    for (unsigned char c : text) {
        if (std::isalnum(c))
            out.back() += static_cast<char>(std::tolower(c));
        else if (!out.back().empty())
            out.emplace_back();
    }
    if (out.back().empty()) out.pop_back();
    return out;
}

bool name_matches(const GpuProfile& profile, const std::vector<std::string>& card) {
    const auto wanted = words(profile.id);
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
        // The memory size is decided by the reported bytes, not by the driver's name.
        if (word.ends_with("gb")) return true;
        return std::find(card.begin(), card.end(), word) != card.end();
    });
}

}  // namespace

GpuCatalogue::GpuCatalogue() : GpuCatalogue(std::span<const GpuProfile>{}) {}

GpuCatalogue::GpuCatalogue(std::span<const GpuProfile> custom)
    : profiles_(shipped_gpus().begin(), shipped_gpus().end()) {
    for (const auto& profile : custom) {
        const auto same = std::find_if(profiles_.begin(), profiles_.end(),
                                       [&](const auto& p) { return p.id == profile.id; });
        if (same != profiles_.end())
            *same = profile;
        else
            profiles_.push_back(profile);
    }
}

Result<GpuProfile> GpuCatalogue::find(std::string_view id) const {
    std::string names;
    const GpuProfile* other_case = nullptr;
    for (const auto& profile : profiles_) {
        if (profile.id == id) return profile;
        if (lower(profile.id) == lower(id)) other_case = &profile;
        names += (names.empty() ? "" : ", ") + profile.id;
    }
    std::string message = "There is no GPU profile named \"" + std::string(id) + "\".";
    if (other_case != nullptr)
        message += " Names are case-sensitive: did you mean \"" + other_case->id + "\"?";
    return fail(Errc::not_found, message + " Valid names: " + names + ".", "/gpu");
}

Result<GpuProfile> make_custom_gpu(const CustomGpu& gpu) {
    const auto bad = [](const char* field, const char* rule) {
        return fail(Errc::invalid_input, rule, field);
    };
    const auto in = [](double value, double low, double high) {
        return std::isfinite(value) && value >= low && value <= high;
    };
    const bool plain = std::all_of(gpu.id.begin(), gpu.id.end(), [](unsigned char c) {
        return std::islower(c) || std::isdigit(c) || c == '_';
    });
    if (gpu.id.empty() || gpu.id.size() > 64 || !plain)
        return bad("/id", "The id must be 1 to 64 lower-case letters, digits or underscores.");
    if (!in(gpu.memory_gib, 0.5, 4096))
        return bad("/memory_gib", "The memory must lie between 0.5 and 4096 GiB.");
    if (!in(gpu.context_gib, 0, gpu.memory_gib / 2))
        return bad("/context_gib", "The context must lie between 0 and half of the memory.");
    if (!in(gpu.bandwidth_gb_s, 1, 1e5))
        return bad("/bandwidth_gb_s", "The bandwidth must lie between 1 and 100000 GB/s.");
    if (!in(gpu.fp32_tflops, 0.1, 1e5))
        return bad("/fp32_tflops", "The fp32 rate must lie between 0.1 and 100000 TFLOP/s.");
    if (!in(gpu.fp16_tflops, 0, 1e5))
        return bad("/fp16_tflops", "The fp16 rate must lie between 0 and 100000 TFLOP/s.");
    if (!in(gpu.bf16_tflops, 0, 1e5))
        return bad("/bf16_tflops", "The bf16 rate must lie between 0 and 100000 TFLOP/s.");
    if (gpu.compute_capability < 30 || gpu.compute_capability > 200)
        return bad("/compute_capability", "The compute capability must lie between 30 and 200.");
    if (gpu.multiprocessors < 1 || gpu.multiprocessors > 1024)
        return bad("/multiprocessors", "The multiprocessors must lie between 1 and 1024.");
    const Figure given{0, "given by the user"};
    const auto figure = [&](double value) { return Figure{value, given.source}; };
    constexpr double gib = 1024.0 * 1024 * 1024;
    return GpuProfile{.id = gpu.id,
                      .name = gpu.name.empty() ? gpu.id : gpu.name,
                      .architecture = std::string(kCustomArchitecture),
                      .compute_capability = gpu.compute_capability,
                      .sold_gb = gpu.memory_gib,
                      .multiprocessors = figure(gpu.multiprocessors),
                      .memory_bytes = figure(std::floor(gpu.memory_gib * gib)),
                      .context_bytes = figure(std::floor(gpu.context_gib * gib)),
                      .bandwidth = figure(gpu.bandwidth_gb_s * 1e9),
                      .fp32_flops = figure(gpu.fp32_tflops * 1e12),
                      .tf32_flops = figure(0),
                      .fp16_flops = figure(gpu.fp16_tflops * 1e12),
                      .bf16_flops = figure(gpu.bf16_tflops * 1e12),
                      .guide = std::nullopt};
}

GpuProfile profile_for(const DetectedGpu& card) {
    const auto all = shipped_gpus();
    const auto card_words = words(card.name);
    const auto total = static_cast<double>(card.total_bytes);
    const GpuProfile* best = nullptr;
    const auto closer = [&](const GpuProfile& p) {
        return best == nullptr ||
               std::abs(p.memory_bytes.value - total) < std::abs(best->memory_bytes.value - total);
    };
    for (const auto& profile : all)
        if (name_matches(profile, card_words) && closer(profile)) best = &profile;
    if (best == nullptr)
        for (const auto& profile : all)
            if (profile.memory_bytes.value <= total * 1.05 && closer(profile)) best = &profile;
    GpuProfile found = best != nullptr ? *best : all.front();
    found.memory_bytes = {total, "reported by the driver of " + card.name};
    return found;
}

}  // namespace plimsoll::training
