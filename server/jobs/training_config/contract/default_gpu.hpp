#pragma once

#include "engine/base/result.hpp"
#include "engine/training/gpus/gpu_profile.hpp"

#include <string_view>

namespace plimsoll::jobs::training_config {

// The card of GPU_PROFILE, or of the setting for it: the ID of a built-in one, however it is
// spelled, or a file NAME.json that describes one like TrainingCustomGpu, with its ID omitted or
// NAME.
Result<::plimsoll::training::GpuProfile> gpu_meant_by(std::string_view value);

// From the environment, in which the server puts its setting.
Result<::plimsoll::training::GpuProfile> default_gpu();

}  // namespace plimsoll::jobs::training_config
