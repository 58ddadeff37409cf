#pragma once

#include "engine/base/result.hpp"
#include "engine/training/gpus/gpu_profile.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::training {

// The default card, as in the GPU profile guide.
inline constexpr std::string_view kDefaultGpu = "rtx_4090";

// All built-in cards, ordered by memory.
std::span<const GpuProfile> shipped_gpus();

// Shipped cards plus a team's own. A custom profile with the ID of a shipped one replaces it.
class GpuCatalogue {
  public:
    GpuCatalogue();
    explicit GpuCatalogue(std::span<const GpuProfile> custom);

    std::span<const GpuProfile> all() const { return profiles_; }
    // By its ID, or as people and drivers write its name ("h100", "RTX 3090", "NVIDIA
    // A100-SXM4-80GB"); of several sizes the smallest, unless the name says which.
    Result<GpuProfile> find(std::string_view id) const;

  private:
    // What to say of a name that is not found; begins with a space.
    std::string advice_on(std::string_view id) const;

    std::vector<GpuProfile> profiles_;
};

// How many cards a name means: 8 of "8xH100", "A100 x8" and "gpu:a100:8"; else 1.
int cards_in(std::string_view name);

// The `architecture` of custom profiles.
inline constexpr std::string_view kCustomArchitecture = "custom";

// A detected card: its name and total memory, as the driver reports them.
struct DetectedGpu {
    std::string name = {};
    std::int64_t total_bytes = 0;
};

// The profile of a real card, by name; if several have it, the closest in memory.
std::optional<GpuProfile> profile_named(const DetectedGpu& card,
                                        std::span<const GpuProfile> profiles = shipped_gpus());

// The same, or else the profile closest in memory that does not exceed what the card reports, of
// the generation that its name implies, or else one with bf16. Its memory is replaced by the
// reported number.
GpuProfile profile_for(const DetectedGpu& card,
                       std::span<const GpuProfile> profiles = shipped_gpus());

}  // namespace plimsoll::training
