#include "engine/training/gpus/catalogue.hpp"

#include "engine/base/closest.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

namespace plimsoll::training {
namespace {

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

// What is left of a card's name when people write it as they like: "NVIDIA GeForce RTX 3090" and
// "rtx_3090" are "rtx3090".
std::string spelled(std::string_view text) {
    constexpr std::string_view kMakers[] = {"nvidia", "geforce", "tesla", "quadro"};
    std::string out;
    for (const auto& word : words(text)) {
        if (std::ranges::find(kMakers, word) == std::end(kMakers)) out += word;
    }
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

// The architecture that a card's name gives away; empty if it does not. NVIDIA's own naming: A100,
// RTX A5000 and RTX 30xx are Ampere.
std::string_view generation_of(std::string_view card) {
    struct Sign {
        std::string_view word;  // the whole, or the beginning before a number
        std::string_view architecture;
    };
    constexpr Sign kSigns[] = {
        {"blackwell", "Blackwell"},
        {"ada", "Ada"},
        {"gb", "Blackwell"},
        {"gh", "Hopper"},
        {"b", "Blackwell"},
        {"h", "Hopper"},
        {"l", "Ada"},
        {"a", "Ampere"},
        {"t", "Turing"},
        {"v", "Volta"},
        {"p", "Pascal"},
        {"m", "Maxwell"},
        {"k", "Kepler"},
        {"quadro", "Turing"},
        {"50", "Blackwell"},
        {"40", "Ada"},
        {"30", "Ampere"},
        {"20", "Turing"},
        {"16", "Turing"},
        {"10", "Pascal"},
    };
    const auto all = words(card);
    for (const auto& sign : kSigns) {
        for (const auto& word : all) {
            if (word == sign.word && word.size() > 2) return sign.architecture;
            // "a100", "l40s", "3090"; not "16gb", which is a size.
            const auto rest = word.starts_with(sign.word) ? word.substr(sign.word.size()) : "";
            const bool model = std::isdigit(static_cast<unsigned char>(rest.c_str()[0])) != 0;
            if (model && !word.ends_with("gb") && rest.size() < 5) return sign.architecture;
        }
    }
    return {};
}

// Of the fitting profiles, the one whose memory is nearest to the card's; of equally near ones the
// oldest generation, which promises least.
template <class Fits>
std::optional<GpuProfile> nearest(const DetectedGpu& card, std::span<const GpuProfile> profiles,
                                  Fits&& fits) {
    const auto total = static_cast<double>(card.total_bytes);
    // Drivers differ by a few percent in what they report of the same memory.
    const auto off = [&](const GpuProfile& profile) {
        return std::floor(std::abs(profile.memory_bytes.value - total) / (0.05 * total));
    };
    const GpuProfile* best = nullptr;
    for (const auto& profile : profiles) {
        if (!fits(profile)) continue;
        const auto rank = [&](const GpuProfile& p) {
            return std::pair(off(p), p.compute_capability);
        };
        if (best == nullptr || rank(profile) < rank(*best)) best = &profile;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
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
    std::vector<std::string> known;
    const auto wanted = spelled(id);
    const GpuProfile* meant = nullptr;
    for (const auto& profile : profiles_) {
        if (profile.id == id) return profile;
        if (spelled(profile.id) == wanted || spelled(profile.name) == wanted) meant = &profile;
        names += (names.empty() ? "" : ", ") + profile.id;
        known.push_back(profile.id);
    }
    if (meant != nullptr) return *meant;
    return fail(Errc::not_found,
                "There is no GPU profile named \"" + std::string(id) + "\"." +
                    did_you_mean(id, known) + " Valid names: " + names + ".",
                "/gpu");
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

std::optional<GpuProfile> profile_named(const DetectedGpu& card,
                                        std::span<const GpuProfile> profiles) {
    const auto card_words = words(card.name);
    // An RTX PRO 6000 with 96 GB is no RTX 6000. Less memory than the card has is a share of it.
    constexpr double kSameCard = 1.6;
    const auto total = static_cast<double>(card.total_bytes);
    return nearest(card, profiles, [&](const GpuProfile& profile) {
        return name_matches(profile, card_words) && total < profile.memory_bytes.value * kSameCard;
    });
}

GpuProfile profile_for(const DetectedGpu& card, std::span<const GpuProfile> profiles) {
    auto found = profile_named(card, profiles);
    const auto total = static_cast<double>(card.total_bytes);
    const auto claims_no_more = [&](const GpuProfile& profile) {
        return profile.memory_bytes.value <= total * 1.05;
    };
    const auto generation = generation_of(card.name);
    if (!found) {
        found = nearest(card, profiles, [&](const GpuProfile& profile) {
            return claims_no_more(profile) && profile.architecture == generation;
        });
    }
    if (!found) found = nearest(card, profiles, claims_no_more);
    if (!found) found = profiles.front();
    found->memory_bytes = {total, "reported by the driver of " + card.name};
    return *found;
}

}  // namespace plimsoll::training
