#pragma once

#include "engine/base/result.hpp"
#include "engine/training/gpus/catalogue.hpp"

#include <string>
#include <string_view>
#include <vector>

// The rules of the GPU profile guide (backend/gpu_profiles.py and scripts/test_gpu_profile.py of
// OptimalMatch/temporal-trading-agents): batch size by bar interval, parallel models per card, its
// estimate of training time. Where the guide contradicts itself, `warnings` says so.

namespace plimsoll::training::gpu_guide {

// The value of GPU_PROFILE: lower-cased as the guide does, empty means the default card.
// Errc::not_found lists the names that carry guide settings.
Result<GpuProfile> resolve(std::string_view gpu_profile_variable);

// "1d" takes the batch for daily bars, every other interval that for hourly ones.
int batch_size(const GuideSettings& settings, std::string_view interval);
int memory_per_model_gb(const GuideSettings& settings, std::string_view interval);

// samples // batch * epochs / 15 iterations per second * models / workers, in minutes.
struct TrainingTime {
    long samples = 2'600'000;
    int epochs = 10;
    int models = 5;
};
double training_minutes(const GuideSettings& settings, std::string_view interval,
                        const TrainingTime& run = {});

// Enough memory means at least 95 % of what the profile names, in GB of 2^30 bytes as PyTorch users
// divide it.
struct Check {
    bool enough_memory = false;
    double total_gb = 0;
    double required_gb = 0;
    std::vector<std::string> warnings;
};
Check check(const GpuProfile& profile, const DetectedGpu& card);

// Contradictions between the guide's code and text, for example that parallel workers at the
// published memory leave no room for their CUDA contexts.
std::vector<std::string> warnings(const GpuProfile& profile);

}  // namespace plimsoll::training::gpu_guide
