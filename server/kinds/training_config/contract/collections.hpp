#pragma once

#include "server/jobs/knowledge.hpp"

#include <array>

// What a team adds to the advice; the statements are in store/.
namespace plimsoll::jobs::training_config {

// Each a TrainingCustomGpu of the contract, by ID.
inline constexpr Collection kGpuProfiles{"gpu_profile", 24, 24};
// TrainingMeasurement of the contract without ID, job and time, newest first; the oldest are
// replaced.
inline constexpr Collection kMeasurements{"training_measurement", 1000, 200};

inline constexpr std::array kCollections = {kGpuProfiles, kMeasurements};

}  // namespace plimsoll::jobs::training_config
