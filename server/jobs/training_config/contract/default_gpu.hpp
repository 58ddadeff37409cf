#pragma once

#include "engine/base/result.hpp"
#include "engine/training/gpus/gpu_profile.hpp"

#include <string_view>

namespace plimsoll::jobs::training_config {

// The card that GPU_PROFILE, or the setting of it, means: the id of a built-in one, however it is
// spelled, or a file NAME.json that describes one as TrainingCustomGpu does, its id left out or
// NAME.
Result<::plimsoll::training::GpuProfile> gpu_meant_by(std::string_view value);

// That of the environment, into which the server puts its setting.
Result<::plimsoll::training::GpuProfile> default_gpu();

}  // namespace plimsoll::jobs::training_config
