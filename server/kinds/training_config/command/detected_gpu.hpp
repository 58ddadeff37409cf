#pragma once

#include "engine/training/guides/gpu_profiles_guide.hpp"

#include <string>

namespace plimsoll::jobs::training_config {

// A card as given by flags.
struct CardFlags {
    std::string name;
    double memory_gib = 0;  // 0: this machine's card
};

// The given card, else the first one that nvidia-smi lists. Errc::not_found if there is none.
Result<training::DetectedGpu> detected_gpu(const CardFlags& flags = {});

// The profile with this ID; if empty, that of $GPU_PROFILE, or else the catalogue's default.
Result<training::GpuProfile> profile_or_default(const std::string& id);

}  // namespace plimsoll::jobs::training_config
