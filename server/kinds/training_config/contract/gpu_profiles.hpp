#pragma once

#include "engine/training/gpus/gpu_profile.hpp"

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// GpuProfile and GpuProfileList of the contract; a custom card replaces a built-in one with its ID.
nlohmann::json gpu_profile_json(const ::plimsoll::training::GpuProfile& profile);
nlohmann::json gpu_profiles_json(std::span<const ::plimsoll::training::GpuProfile> custom = {});
bool is_built_in_gpu(std::string_view id);

}  // namespace plimsoll::jobs::training_config
