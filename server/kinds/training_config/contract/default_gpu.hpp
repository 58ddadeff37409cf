#pragma once

#include "engine/base/result.hpp"
#include "engine/training/gpus/gpu_profile.hpp"

#include <string_view>

namespace plimsoll::jobs::training_config {

// The card of GPU_PROFILE, or of its setting: any spelling of a built-in card's ID, or a file
// NAME.json that describes a card like TrainingCustomGpu, with its ID omitted or NAME.
Result<::plimsoll::training::GpuProfile> gpu_meant_by(std::string_view value);

// From the environment, in which the server puts its setting.
Result<::plimsoll::training::GpuProfile> default_gpu();

}  // namespace plimsoll::jobs::training_config
