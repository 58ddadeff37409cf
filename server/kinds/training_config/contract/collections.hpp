#pragma once

#include "server/jobs/planning_context.hpp"

#include <array>

// What a team adds to the advice.
namespace plimsoll::jobs::training_config {

// Each a TrainingCustomGpu of the contract, by ID.
inline constexpr Collection kGpuProfiles{.name = "gpu_profile",
                                         .singular = "team's GPU profile",
                                         .plural = "GPU profiles",
                                         .max = 24,
                                         .planning = 24,
                                         .is_named = true};
// TrainingMeasurement of the contract without ID, job and time, each under its comparison key;
// newest first; the oldest are replaced.
inline constexpr Collection kMeasurements{.name = "training_measurement",
                                          .singular = "measurement",
                                          .plural = "measurements",
                                          .max = 1000,
                                          .planning = 200,
                                          .written = "create"};

inline constexpr std::array kCollections = {kGpuProfiles, kMeasurements};

}  // namespace plimsoll::jobs::training_config
