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

// The essential part of a card's name, however it is written: "NVIDIA GeForce RTX 3090" and
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
    // Drivers differ by a few percent in the size that they report for the same memory.
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
