#pragma once

#include "engine/base/result.hpp"
#include "engine/training/guides/gpu_profiles_guide.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// A card as given by flags.
struct CardFlags {
    std::string name;
    double memory_gib = 0;               // 0: this machine's card
    std::string other = "--gpu-memory";  // the flags that describe another card
};

// The given card, else the first one that nvidia-smi lists. Errc::not_found if there is none.
Result<training::DetectedGpu> detected_gpu(const CardFlags& flags = {});

// The profile with this name: built in, or the team's if the user is signed in.
Result<training::GpuProfile> gpu_named(const std::string& id);

// The profile with this ID; if empty, that of $GPU_PROFILE, or else the catalogue's default.
Result<training::GpuProfile> profile_or_default(const std::string& id);

// The arguments of an estimate with descriptions of cards that are not built in: here, "auto" is
// this machine's card (on a server, the pool's); an unknown name, in the arguments or in
// GPU_PROFILE, is the team's card if the user is signed in.
Result<nlohmann::json> with_described_cards(nlohmann::json args);

}  // namespace plimsoll::jobs::training_config
