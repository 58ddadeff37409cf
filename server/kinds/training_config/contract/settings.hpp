#pragma once

#include "server/jobs/settings.hpp"

#include <array>

namespace plimsoll::jobs::training_config {

// For KindSetting::check: in upper or lower case, as in the GPU profile guide.
Result<std::string> check_gpu_profile(std::string_view value);

inline constexpr KindSetting kGpuProfile{.key = "training.gpu_profile",
                                         .variable = "GPU_PROFILE",
                                         .unit = "ID of a GPU profile, or a file with one",
                                         .help = "Default GPU profile of training advice",
                                         .default_value = "rtx_4090",
                                         .check = check_gpu_profile,
                                         .readers = kServer | kDoctor};

inline constexpr std::array kSettings = {kGpuProfile};

}  // namespace plimsoll::jobs::training_config
