#pragma once

#include "engine/training/gpus/gpu_profile.hpp"

#include <span>

#include <nlohmann/json.hpp>

namespace plimsoll::app {

// GpuProfile and GpuProfileList of the contract; a custom card stands in the place of a shipped one
// of its id.
nlohmann::json gpu_profile_json(const training::GpuProfile& profile);
nlohmann::json gpu_profiles_json(std::span<const training::GpuProfile> custom = {});

}  // namespace plimsoll::app
