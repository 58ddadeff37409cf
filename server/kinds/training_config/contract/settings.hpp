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

Result<std::string> check_snapshot_mib(std::string_view value);

inline constexpr int kMaxSnapshotMib = 4096;
inline constexpr KindSetting kSnapshotMib{
    .key = "training.snapshot_mib",
    .variable = "PLIMSOLL_TRAINING_SNAPSHOT_MIB",
    .unit = "0..4096, MiB",
    .help =
        "Largest memory snapshot of PyTorch that the page of a training-config job compares; two "
        "at a time take as much room for temporary files each, and as much memory; 0: none",
    .default_value = "2048",
    .check = check_snapshot_mib};

inline constexpr std::array kSettings = {kGpuProfile, kSnapshotMib};

}  // namespace plimsoll::jobs::training_config
