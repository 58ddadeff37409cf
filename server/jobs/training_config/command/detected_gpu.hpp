#pragma once

#include "engine/training/guides/gpu_profiles_guide.hpp"

#include <string>

namespace plimsoll::jobs::training_config {

// A card as flags describe it.
struct CardFlags {
    std::string name;
    double memory_gib = 0;  // 0: this machine's card
};

// The card that was described, else the first one that nvidia-smi lists. Errc::not_found where
// there is none.
Result<training::DetectedGpu> detected_gpu(const CardFlags& flags = {});

// The profile of this id; of an empty one $GPU_PROFILE, or else the catalogue's default.
Result<training::GpuProfile> profile_or_default(const std::string& id);

}  // namespace plimsoll::jobs::training_config
