#pragma once

#include "engine/training/gpus/gpu_profile.hpp"

#include <span>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// GpuProfile and GpuProfileList of the contract; a custom card replaces a built-in one with its ID.
nlohmann::json gpu_profile_json(const ::plimsoll::training::GpuProfile& profile);
nlohmann::json gpu_profiles_json(std::span<const ::plimsoll::training::GpuProfile> custom = {});

}  // namespace plimsoll::jobs::training_config
